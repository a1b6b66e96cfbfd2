// Wraps fetch to report when an MCP server is gone or its session has expired, and to limit the size of responses.
import { RedirectRefused } from '../../runtime/within-origin.ts'
import { NotSent } from '../port/tool.ts'

export type Fetch = typeof globalThis.fetch

// Larger than any result that can be stored, and the SDK's limit for programs.
export const maxResponseBytes = 10 * 1024 * 1024
const maxErrorBytes = 64 * 1024

export function watchFetch(fetch: Fetch, onLost: (reason: string) => void): Fetch {
  let isListening = false
  return async (url, init) => {
    const isPost = init?.method === 'POST'
    const received = await fetch(url, init).catch((error: unknown) => {
      // The server is there, but what it answers is not used; or nothing was sent.
      const isOurs =
        init?.signal?.aborted === true || error instanceof RedirectRefused || causeOf(error) instanceof NotSent
      if (!isOurs) onLost(`it cannot be reached: ${codeOf(error)}`)
      throw error
    })
    // Of errors too: the SDK reads them whole.
    const response = limitBody(received, () => onLost('its response was too large'))
    // A server without an event stream may respond to a GET in many ways, so a GET counts only after one has succeeded.
    if ((isPost || isListening) && (await isSessionLost(response, init))) onLost('its session expired')
    isListening ||= init?.method === 'GET' && response.ok
    return response
  }
}

/** The protocol says 404, but many servers send 400 and a text about sessions. */
async function isSessionLost(response: Response, init: RequestInit | undefined): Promise<boolean> {
  if (!new Headers(init?.headers).has('mcp-session-id')) return false
  if (response.status !== 400) return response.status === 404
  return /session/i.test(await response.clone().text())
}

/** Limits each message of an event stream, because the stream is endless; otherwise the whole body. */
function limitBody(response: Response, onExceeded: () => void): Response {
  const { status, statusText, headers } = response
  if (response.body === null) return response
  const maxBytes = response.ok ? maxResponseBytes : maxErrorBytes
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const count = isStream ? messageCounter() : totalCounter()
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (count(chunk) <= maxBytes) return controller.enqueue(chunk)
      onExceeded()
      controller.error(new Error(`The response of the MCP server has more than ${maxBytes} bytes.`))
    },
  })
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}

/** Returns how many bytes have come so far. */
type CountBytes = (chunk: Uint8Array) => number

function totalCounter(): CountBytes {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return bytes
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/** Counts the bytes of the current message. An empty line ends it: its other lines may be many and short. */
function messageCounter(): CountBytes {
  let [bytes, isLineEmpty] = [0, true]
  return (chunk) => {
    let [largest, start] = [0, 0]
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      isLineEmpty &&= isBlank(chunk, start, end)
      bytes += end - start + 1
      largest = Math.max(largest, bytes)
      if (isLineEmpty) bytes = 0
      isLineEmpty = true
      start = end + 1
    }
    isLineEmpty &&= isBlank(chunk, start, chunk.length)
    bytes += chunk.length - start
    return Math.max(largest, bytes)
  }
}

/** A line may end with CR LF. */
const isBlank = (chunk: Uint8Array, start: number, end: number): boolean =>
  start === end || (start + 1 === end && chunk[start] === carriageReturn)

/** A code such as `ECONNREFUSED`; the message of fetch itself says only that it failed. */
function codeOf(error: unknown): string {
  const { code, message } = causeOf(error) as NodeJS.ErrnoException
  return code ?? message
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error
