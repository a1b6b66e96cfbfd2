// Wraps fetch to report when an MCP server is gone or its session has expired, and to limit the size of responses.
import { RedirectRefused } from '../../runtime/within-origin.ts'
import { NotSent } from '../port/tool.ts'

export type Fetch = typeof globalThis.fetch

// Larger than any result that can be stored, and the SDK's limit for programs.
export const maxResponseBytes = 10 * 1024 * 1024

export function watchFetch(fetch: Fetch, onLost: (reason: string) => void): Fetch {
  let isListening = false
  return async (url, init) => {
    const isPost = init?.method === 'POST'
    const response = await fetch(url, init).catch((error: unknown) => {
      // The server is there, but what it answers is not used; or nothing was sent.
      const isOurs =
        init?.signal?.aborted === true || error instanceof RedirectRefused || causeOf(error) instanceof NotSent
      if (!isOurs) onLost(`it cannot be reached: ${codeOf(error)}`)
      throw error
    })
    // A server without an event stream may respond to a GET in many ways, so a GET counts only after one has succeeded.
    if ((isPost || isListening) && (await isSessionLost(response, init))) onLost('its session expired')
    isListening ||= init?.method === 'GET' && response.ok
    return response.ok ? limitBody(response, () => onLost('its response was too large')) : response
  }
}

/** The protocol says 404, but many servers send 400 and a text about sessions. */
async function isSessionLost(response: Response, init: RequestInit | undefined): Promise<boolean> {
  if (!new Headers(init?.headers).has('mcp-session-id')) return false
  if (response.status !== 400) return response.status === 404
  return /session/i.test(await response.clone().text())
}

/**
 * Limits each line of an event stream, because a line is a message and the stream is endless; otherwise the whole body.
 */
function limitBody(response: Response, onExceeded: () => void): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lineEnd = isStream ? chunk.lastIndexOf(0x0a) : -1
      bytes = lineEnd < 0 ? bytes + chunk.length : chunk.length - lineEnd - 1
      if (bytes <= maxResponseBytes) return controller.enqueue(chunk)
      onExceeded()
      controller.error(new Error(`The response of the MCP server has more than ${maxResponseBytes} bytes.`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, statusText, headers })
}

/** A code such as `ECONNREFUSED`; the message of fetch itself says only that it failed. */
function codeOf(error: unknown): string {
  const { code, message } = causeOf(error) as NodeJS.ErrnoException
  return code ?? message
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error
