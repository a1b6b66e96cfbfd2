// The tokens of a reply: as scripted, or counted from the lengths.
import { argumentsText, wholeText } from './pieces.ts'
import type { NeutralRequest, Say, ScriptedUsage } from './script.ts'

type ReplyUsage = Required<ScriptedUsage> | { readonly raw: unknown } | undefined

export function usageOf(reply: Say, request: NeutralRequest): ReplyUsage {
  const { usage } = reply
  if (usage === 'none') return undefined
  if (usage !== undefined && 'raw' in usage) return usage
  if (usage !== undefined) return { cached: 0, reasoning: 0, ...usage }
  const reasoning = reply.reasoning ? countTokens(reply.reasoning) : 0
  const written = countTokens(wholeText(reply), ...(reply.toolCalls ?? []).map(argumentsText))
  return { input: countPrompt(request), output: written + reasoning, cached: 0, reasoning }
}

/** A file costs as much as a picture does, whatever the length of its base64. */
function countPrompt({ body, messages }: NeutralRequest): number {
  const files = messages.flatMap((message) => message.files ?? [])
  const length = JSON.stringify(body).length - files.reduce((sum, { data }) => sum + data.length, 0)
  return Math.ceil(length / 4) + files.length * tokensPerFile
}

const tokensPerFile = 1_600

/** About four characters a token. */
const countTokens = (...texts: string[]): number => Math.max(1, Math.ceil(texts.join('').length / 4))
