// An assistant turn as the provider wants it back: text, calls and what was echoed, in the order in which the model
// wrote them.
import type { AskedToolCall, Message } from '../../port/model.ts'
import type { ProviderCall } from '../sdk/language-model.ts'
import type { Echo, EchoedPart, ProviderOptions } from './echoed-parts.ts'
import type { ProviderToolNames } from './tool-names.ts'

type AssistantPart = Extract<ProviderCall['prompt'][number], { role: 'assistant' }>['content'][number]
type AssistantTurn = Extract<Message, { from: 'assistant' }>

export function assistantParts(turn: AssistantTurn, names: ProviderToolNames): AssistantPart[] {
  const parts = inOrder(turn).flatMap((part) => toPart(part, names))
  // Servers refuse an assistant turn without parts.
  return parts.length > 0 ? parts : [{ type: 'text', text: '(no text)' }]
}

type PlacedPart =
  | Extract<EchoedPart, { kind: 'reasoning' }>
  | { readonly kind: 'text'; readonly text: string; readonly options?: ProviderOptions | undefined }
  | { readonly kind: 'call'; readonly call: AskedToolCall; readonly options?: ProviderOptions | undefined }

function inOrder({ text, toolCalls, echo }: AssistantTurn): PlacedPart[] {
  const { parts = [] } = (echo ?? {}) as Partial<Echo>
  const written = parts.reduce((length, part) => length + (part.kind === 'text' ? part.length : 0), 0)
  const echoed = new Set(parts.flatMap((part) => (part.kind === 'call' ? [part.id] : [])))
  const missing = toolCalls.filter(({ id }) => !echoed.has(id))
  const added: PlacedPart[] = missing.map((call) => ({ kind: 'call', call }))
  if (written === text.length) return [...placed(parts, text, toolCalls), ...added]
  // The turn was changed after the model wrote it, so the places within its text are unknown.
  const others = parts.filter(({ kind }) => kind !== 'text')
  const reasoning = others.filter(({ kind }) => kind === 'reasoning')
  const calls = others.filter(({ kind }) => kind === 'call')
  return [...placed(reasoning, '', []), { kind: 'text', text }, ...placed(calls, '', toolCalls), ...added]
}

function placed(parts: readonly EchoedPart[], text: string, toolCalls: readonly AskedToolCall[]): PlacedPart[] {
  let at = 0
  const callsById = new Map(toolCalls.map((call) => [call.id, call]))
  return parts.flatMap((part): PlacedPart[] => {
    if (part.kind === 'reasoning') return [part]
    if (part.kind === 'text') {
      at += part.length
      return [{ kind: 'text', text: text.slice(at - part.length, at), options: part.options }]
    }
    const call = callsById.get(part.id)
    return call ? [{ kind: 'call', call, options: part.options }] : []
  })
}

function toPart(part: PlacedPart, names: ProviderToolNames): AssistantPart[] {
  const own = part.options && { providerOptions: part.options }
  if (part.kind === 'reasoning') return [{ type: 'reasoning', text: part.text, providerOptions: part.options }]
  if (part.kind === 'call') return [{ ...toProviderToolCall(part.call, names), ...own }]
  // Models write line breaks before a call. Anthropic refuses a text of white space only.
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...own }]
}

const toProviderToolCall = ({ id, name, input }: AskedToolCall, names: ProviderToolNames) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: names.toProvider(name),
  // Arguments that are not JSON are text here, but many servers accept only an object.
  input: typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { malformed_arguments: input },
})
