// A fetch that limits the memory that a response can use, and the work of parsing it: an event of a stream, and any
// other response as a whole, is held in memory until it ends, and parsed at once.
import { cutStream, limitMessages, normalizeLineEnds } from './limit-messages.ts'
import type { MessageLimits } from './message-meter.ts'

/** The beginning of an error says what went wrong. */
const maxErrorBytes = 64 * 1024

/** The body fails with an error once an event of a stream, or another response as a whole, exceeds the limits. */
export function limitAnswers(fetch: typeof globalThis.fetch, limits: MessageLimits): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request)
    const { status, statusText, headers } = response
    const body = response.body && limitBody(response.body, response, limits)
    return body === null ? response : new Response(body, { status, statusText, headers })
  }
}

function limitBody(body: ReadableStream<Uint8Array>, { ok, headers }: Response, limits: MessageLimits) {
  if (!ok) return body.pipeThrough(cutStream(maxErrorBytes))
  // Some servers do not say that they send a stream of events.
  const isJson = /\bjson\b/i.test(headers.get('content-type') ?? '')
  if (isJson) return body.pipeThrough(limitMessages({ ...limits, endsWith: 'stream' }))
  return body.pipeThrough(normalizeLineEnds()).pipeThrough(limitMessages({ ...limits, endsWith: 'empty line' }))
}
