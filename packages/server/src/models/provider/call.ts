// A request of ours in the words of the SDK's language model interface.
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { AskedToolCall, Message, ModelRequest, OfferedTool } from '../port/model.ts'
import { type ProviderToolNames, providerToolNames } from './tool-names.ts'

export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
export type ProviderCall = Parameters<ChatModel['doStream']>[0]

type ProviderMessage = ProviderCall['prompt'][number]
type ProviderTool = Extract<NonNullable<ProviderCall['tools']>[number], { type: 'function' }>
type ResultOutput = Extract<
  Extract<ProviderMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']
type JsonValue = Extract<ResultOutput, { type: 'json' }>['value']
type Schema = ModelRequest['outputSchema'] & object

// What is left of a run's budget is often more than a model can write, and servers refuse such a number. Up to here all of them
// take it; above, the model's own maximum holds, and the budget is checked after the completion.
const largestMaxTokens = 4_096

export function toProviderCall(request: ModelRequest): ProviderCall {
  const { messages, tools, outputSchema, maxOutputTokens, signal } = request
  const names = providerToolNames({ tools, messages })
  const prompt = outputSchema ? withInstruction(messages, outputSchema) : messages
  return {
    prompt: prompt.map((message) => toProviderMessage(message, names)),
    abortSignal: signal,
    // The strict mode of some servers refuses every schema with an optional property; the reply is checked here anyway.
    providerOptions: { openaiCompatible: { strictJsonSchema: false } },
    ...(tools.length > 0 && { tools: tools.map((tool) => toProviderTool(tool, names)) }),
    ...(outputSchema && { responseFormat: { type: 'json', schema: outputSchema } }),
    ...(maxOutputTokens !== undefined && maxOutputTokens <= largestMaxTokens && { maxOutputTokens }),
  }
}

export function withoutResponseFormat({ responseFormat: _, ...call }: ProviderCall): ProviderCall {
  return call
}

/** Said in words too: many servers take a response format and then ignore it. */
function withInstruction(messages: readonly Message[], schema: Schema): readonly Message[] {
  const instruction = `Answer with one JSON value that fits this JSON Schema, and nothing else: ${JSON.stringify(schema)}`
  const [first, ...rest] = messages
  // Many chat templates allow one system message only, and only as the first.
  return first?.from === 'system'
    ? [{ from: 'system', text: `${first.text}\n\n${instruction}` }, ...rest]
    : [{ from: 'system', text: instruction }, ...messages]
}

function toProviderMessage(message: Message, names: ProviderToolNames): ProviderMessage {
  switch (message.from) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          { type: 'text', text: message.text },
          ...message.toolCalls.map((call) => toProviderToolCall(call, names)),
        ],
      }
    case 'tool':
      return { role: 'tool', content: [toProviderToolResult(message, names)] }
  }
}

const toProviderToolCall = ({ id, name, input }: AskedToolCall, names: ProviderToolNames) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: names.toProvider(name),
  // Arguments that were no JSON are text here; many servers take nothing but an object back.
  input: typeof input === 'object' && input !== null ? input : { malformed_arguments: input },
})

type ToolMessage = Extract<Message, { from: 'tool' }>

const toProviderToolResult = ({ callId, name, result, failed }: ToolMessage, names: ProviderToolNames) => ({
  type: 'tool-result' as const,
  toolCallId: callId,
  toolName: names.toProvider(name),
  // The protocol has no flag for a failed call: the result itself must say so.
  output: { type: 'json' as const, value: (failed ? { error: result } : (result ?? null)) as JsonValue },
})

const toProviderTool = ({ name, description, inputSchema }: OfferedTool, names: ProviderToolNames): ProviderTool => ({
  type: 'function',
  name: names.toProvider(name),
  description,
  inputSchema,
})
