// Events and parts that a provider has introduced after the SDK package was made. They are ignored; an event that may
// have a part of the reply is not.

/** The events of Anthropic that are known, with the kinds of their parts. */
const known: Readonly<Record<string, readonly string[] | undefined>> = {
  message_start: [],
  content_block_start: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  content_block_delta: ['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'],
  content_block_stop: [],
  message_delta: [],
  message_stop: [],
  error: [],
}

/** Whether an error of the SDK package only says that an event is unknown. */
export function isUnknownEvent(error: unknown): boolean {
  if (!isTypeError(error)) return false
  const { value } = error as { readonly value?: unknown }
  if (!isFields(value)) return false
  if (typeof value.type === 'string') return isUnknownOfAnthropic(value)
  return !['choices', 'candidates', 'error', 'message', 'detail'].some((name) => name in value)
}

/** The answer is JSON of another form than expected. Another try would get the same. */
export const isTypeError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AI_TypeValidationError'

function isUnknownOfAnthropic(event: Readonly<Record<string, unknown>>): boolean {
  // The package of OpenAI passes over unknown events by itself.
  if (String(event.type).startsWith('response.')) return false
  const kinds = Object.hasOwn(known, String(event.type)) ? known[String(event.type)] : undefined
  if (kinds === undefined) return true
  const part = event.content_block ?? event.delta
  return kinds.length > 0 && isFields(part) && !kinds.includes(String(part.type))
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
