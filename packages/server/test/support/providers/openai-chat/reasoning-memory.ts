// The reasoning that was issued with tool calls. Servers that send `reasoning_content` (DeepSeek, vLLM) take it back
// only as it was; OpenAI itself neither sends nor takes it.
import { Refusal } from '../refusal.ts'
import type { ProviderOptions } from '../wire-format.ts'
import type { ChatMessage } from './request-shape.ts'

export class ReasoningMemory {
  private readonly issued = new Set<string>()
  private readonly byCall = new Map<string, string>()
  private readonly options: ProviderOptions

  constructor(options: ProviderOptions) {
    this.options = options
  }

  remember(reasoning: string, callIds: readonly string[]): void {
    this.issued.add(reasoning)
    for (const id of callIds) this.byCall.set(id, reasoning)
  }

  check(messages: readonly ChatMessage[]): void {
    for (const [at, message] of messages.entries()) {
      if (message.role !== 'assistant') continue
      const param = `messages[${at}].reasoning_content`
      const returned = message.reasoning_content
      if (returned != null && this.options.refusesReasoning) {
        throw new Refusal(`'${param}' is not permitted in the request.`, { code: 'invalid_request', param })
      }
      if (returned != null && !this.issued.has(returned)) {
        const code = this.issued.size === 0 ? 'unknown_parameter' : 'invalid_value'
        throw new Refusal(`Unknown parameter: '${param}'.`, { code, param })
      }
      const due = message.tool_calls?.map(({ id }) => this.byCall.get(id)).find((reasoning) => reasoning !== undefined)
      if (this.options.reasoningMustReturn && due !== undefined && returned !== due) {
        throw new Refusal(`Missing '${param}': the reasoning of a turn with tool calls must be passed back.`, { param })
      }
    }
  }
}
