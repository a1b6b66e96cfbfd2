// A fetch that turns a plain JSON response into the requested event stream, because some gateways ignore `stream:
// true`.
import { repairEvent } from './repair-events.ts'

const maxAnswerLength = 8 * 1024 * 1024

export function answerAsStream(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request)
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || !/\bjson\b/i.test(type)) return response
    const text = await response.text()
    if (text.length > maxAnswerLength) throw new Error(`the answer is longer than ${maxAnswerLength} characters`)
    const chunk = chunkOf(text)
    return new Response(`${repairEvent(`data: ${JSON.stringify(chunk)}`)}\n\ndata: [DONE]\n\n`, {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    })
  }
}

interface Completion {
  readonly choices?: readonly { readonly message?: Readonly<Record<string, unknown>> }[]
}

/** A completion becomes one chunk. Anything else, such as an error with status 200, stays as it is. */
function chunkOf(text: string): unknown {
  const completion = JSON.parse(text) as Completion
  if (!Array.isArray(completion.choices)) return completion
  const choices = completion.choices.map(({ message, ...choice }, index) => ({
    index,
    ...choice,
    delta: { ...message, ...withIndexes(message?.tool_calls) },
  }))
  return { ...completion, object: 'chat.completion.chunk', choices }
}

const withIndexes = (calls: unknown) =>
  Array.isArray(calls) ? { tool_calls: calls.map((call, index) => ({ index, ...call })) } : {}
