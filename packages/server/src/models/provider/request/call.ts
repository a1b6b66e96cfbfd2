// Converts a request to the SDK's language model interface, in a form that strict servers accept: one system message at
// the start, alternating user and assistant turns, no empty text, every tool result after its call.
import type { Message, ModelRequest, OfferedTool } from '../../port/model.ts'
import type { ProviderCall } from '../sdk/language-model.ts'
import { assistantParts } from './assistant-parts.ts'
import type { Echo } from './echoed-parts.ts'
import { fileParts } from './file-parts.ts'
import { withoutMarks } from './schema-forms.ts'
import { type ProviderToolNames, providerToolNames } from './tool-names.ts'

type ProviderMessage = ProviderCall['prompt'][number]
type ProviderTool = Extract<NonNullable<ProviderCall['tools']>[number], { type: 'function' }>
type ToolPart = Extract<ProviderMessage, { role: 'tool' }>['content'][number]
type ResultOutput = Extract<ToolPart, { type: 'tool-result' }>['output']
type JsonValue = Extract<ResultOutput, { type: 'json' }>['value']
type Schema = ModelRequest['outputSchema'] & object

// The rest of a run's budget often exceeds what a model can write, and servers refuse such a number. All of them accept
// up to this value. Above it the model's own maximum applies, and the budget is checked after the completion.
const largestMaxTokens = 4_096

interface CallOptions {
  /** The model that is called: it gets back the reasoning that it wrote in fields of its messages. */
  readonly model?: string | undefined
  /** What the system message says in addition. */
  readonly added?: string | undefined
}

export function toProviderCall(request: ModelRequest, { model, added }: CallOptions = {}): ProviderCall {
  const { messages, tools, outputSchema, maxOutputTokens, signal, traceparent } = request
  const names = providerToolNames({ tools, messages })
  const prompt = added === undefined ? messages : withAdded(messages, added)
  return {
    prompt: mergeMessages(prompt).map((turn) => toProviderMessage(turn, names, model)),
    abortSignal: signal,
    ...(traceparent !== undefined && { headers: { traceparent } }),
    ...(tools.length > 0 && { tools: tools.map((tool) => toProviderTool(tool, names)) }),
    ...(outputSchema && { responseFormat: { type: 'json', schema: outputSchema } }),
    ...(maxOutputTokens !== undefined && maxOutputTokens <= largestMaxTokens && { maxOutputTokens }),
  }
}

export const schemaInWords = (schema: Schema): string =>
  `Answer with one JSON value that matches this JSON Schema, and nothing else: ${JSON.stringify(withoutMarks(schema))}`

/** Many chat templates allow only one system message, at the start. */
function withAdded(messages: readonly Message[], added: string): readonly Message[] {
  const [first, ...rest] = messages
  return first?.from === 'system'
    ? [{ from: 'system', text: `${first.text}\n\n${added}` }, ...rest]
    : [{ from: 'system', text: added }, ...messages]
}

type ToolMessage = Extract<Message, { from: 'tool' }>
type Turn = Exclude<Message, ToolMessage> | { readonly from: 'tools'; readonly results: ToolMessage[] }

/** Joins consecutive messages of one role into one turn. */
function mergeMessages(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.from === 'tool') {
      if (last?.from === 'tools') last.results.push(message)
      else turns.push({ from: 'tools', results: [message] })
    } else if (last?.from === message.from) turns[turns.length - 1] = joined(last, message)
    else turns.push(message)
  }
  return turns
}

function joined(last: Exclude<Turn, { from: 'tools' }>, next: Exclude<Message, ToolMessage>): Turn {
  const text = [last.text, next.text].filter((part) => part !== '').join('\n\n')
  if (last.from !== 'assistant' && next.from !== 'assistant') {
    return { ...last, text, files: [...(last.files ?? []), ...(next.files ?? [])] }
  }
  if (last.from !== 'assistant' || next.from !== 'assistant') return { ...last, text } as Turn
  return { ...next, text, toolCalls: [...last.toolCalls, ...next.toolCalls] }
}

function toProviderMessage(turn: Turn, names: ProviderToolNames, model: string | undefined): ProviderMessage {
  switch (turn.from) {
    case 'system':
      return { role: 'system', content: turn.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: turn.text }, ...fileParts(turn.files)] }
    case 'assistant':
      return { role: 'assistant', content: assistantParts(turn, names), ...reasoningOf(turn.echo, model) }
    case 'tools':
      return { role: 'tool', content: turn.results.map((result) => toProviderToolResult(result, names)) }
  }
}

function reasoningOf(echo: unknown, model: string | undefined) {
  const { reasoning } = (echo ?? {}) as Partial<Echo>
  if (!reasoning || reasoning.model !== model) return {}
  return { providerOptions: { openaiCompatible: reasoning.fields as Record<string, JsonValue> } }
}

const toProviderToolResult = ({ callId, name, result, failed }: ToolMessage, names: ProviderToolNames): ToolPart => ({
  type: 'tool-result',
  toolCallId: callId,
  toolName: names.toProvider(name),
  // Only Anthropic has a flag for a failed call, so the result itself says so too.
  output: failed ? { type: 'error-json', value: { error: result } as JsonValue } : toOutput(result),
})

/** In JSON a text has more tokens: its quotes and line breaks are escaped. Some providers refuse an empty text. */
const toOutput = (result: unknown): ResultOutput =>
  typeof result === 'string' && result !== ''
    ? { type: 'text', value: result }
    : { type: 'json', value: (result ?? null) as JsonValue }

const toProviderTool = ({ name, description, inputSchema }: OfferedTool, names: ProviderToolNames): ProviderTool => ({
  type: 'function',
  name: names.toProvider(name),
  description,
  inputSchema,
})
