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
  return { input: countTokens(JSON.stringify(request.body)), output: written + reasoning, cached: 0, reasoning }
}

/** About four characters a token. */
const countTokens = (...texts: string[]): number => Math.max(1, Math.ceil(texts.join('').length / 4))
