// A scripted reply as a GenerateContentResponse, whole and as a stream of partial ones.
import { issueId, issueSignature } from '../ids.ts'
import { isObject, parsedOrText } from '../json.ts'
import { argumentsText, piecesOf, wholeText } from '../pieces.ts'
import type { Finish, JsonObject, NeutralRequest, Say, ScriptedCall } from '../script.ts'
import { content, frame, sseType } from '../sse.ts'
import { usageOf } from '../usage.ts'
import type { Answer } from '../wire-format.ts'
import { type GeminiRequest, isGemini3, type Part } from './request-shape.ts'

interface Written {
  readonly answer: Answer
  readonly parts: readonly Part[]
}

export function writeAnswer(reply: Say, request: NeutralRequest): Written {
  const base = { modelVersion: request.model, responseId: issueId(''), ...reply.extraFields }
  const usage = usageField(reply, request)
  if (isBlocked(reply)) return blocked({ ...base, promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...usage })
  const signature = issueSignature()
  const calls = callParts(reply, request, signature)
  const signsText = calls.length === 0 && reply.reasoning !== undefined
  const thoughts = includesThoughts(request) && reply.reasoning ? [{ text: reply.reasoning, thought: true }] : []
  const text = wholeText(reply)
  const texts: Part[] = text === '' ? [] : [{ text, ...(signsText && { thoughtSignature: signature }) }]
  const parts: Part[] = [...thoughts, ...texts, ...calls]
  const candidate = (shown: readonly Part[], ending: JsonObject = {}) => ({
    candidates: [{ content: { ...(shown.length > 0 && { parts: shown }), role: 'model' }, ...ending, index: 0 }],
  })
  const streamed: Part[] = [
    ...thoughts.flatMap((part) => piecesOf(part.text).map((piece) => ({ ...part, text: piece }))),
    ...piecesOf(reply.text ?? '').map((piece) => ({ text: piece })),
    ...calls,
  ]
  // The last event of a stream carries the signature of a text, on an empty part.
  const last: Part[] = [{ text: '', ...(signsText && { thoughtSignature: signature }) }]
  const events = [
    ...streamed.map((part) => content({ ...candidate([part]), ...base, ...usage })),
    frame({ ...candidate(streamed.length === 0 ? [] : last, endOf(reply)), ...base, ...usage }),
  ]
  const json = { ...candidate(parts, endOf(reply)), ...base, ...usage }
  return { answer: { json, events, contentType: sseType }, parts: [...parts, ...last] }
}

const isBlocked = ({ finish, refusal }: Say): boolean => finish === 'refusal' || refusal !== undefined

function blocked(json: JsonObject): Written {
  return { answer: { json, events: [frame(json)], contentType: sseType }, parts: [] }
}

const includesThoughts = ({ body }: NeutralRequest): boolean =>
  (body as unknown as GeminiRequest).generationConfig?.thinkingConfig?.includeThoughts === true

/** Gemini's arguments are an object, never text: what is not one is a malformed call, and no call is sent. */
function argumentsOf(call: ScriptedCall): JsonObject | undefined {
  const once = parsedOrText(argumentsText(call))
  const value = typeof once === 'string' ? parsedOrText(once) : once
  return isObject(value) ? value : undefined
}

const isMalformed = ({ toolCalls = [] }: Say): boolean => toolCalls.some((call) => argumentsOf(call) === undefined)

function callParts(reply: Say, request: NeutralRequest, signature: string): Part[] {
  if (isMalformed(reply)) return []
  const signs = isGemini3(request.model) || reply.reasoning !== undefined
  return (reply.toolCalls ?? []).map((call, at) => {
    const id = call.id === undefined ? issueId('') : call.id
    const functionCall = { ...(id !== null && { id }), name: call.name, args: { ...argumentsOf(call) } }
    return { functionCall, ...(signs && at === 0 && { thoughtSignature: signature }) }
  })
}

function endOf(reply: Say): JsonObject {
  const reasons: Record<Finish, string> = {
    stop: 'STOP',
    tool_calls: 'STOP',
    length: 'MAX_TOKENS',
    content_filter: 'SAFETY',
    refusal: 'PROHIBITED_CONTENT',
  }
  if (isMalformed(reply)) {
    return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call' }
  }
  const rating = { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }
  const isFiltered = reply.finish === 'content_filter'
  return { finishReason: reasons[reply.finish ?? 'stop'], ...(isFiltered && { safetyRatings: [rating] }) }
}

function usageField(reply: Say, request: NeutralRequest): JsonObject {
  const usage = usageOf(reply, request)
  if (usage === undefined) return {}
  if ('raw' in usage) return { usageMetadata: usage.raw }
  const { input, output, cached, reasoning } = usage
  return {
    usageMetadata: {
      promptTokenCount: input,
      // Google counts thoughts beside the answer, not in it.
      candidatesTokenCount: output - reasoning,
      thoughtsTokenCount: reasoning,
      cachedContentTokenCount: cached,
      totalTokenCount: input + output,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    },
  }
}
