// Wraps fetch to report when an MCP server is gone or its session has expired, and to limit the size of responses.
import { limitMessages, normalizeLineEnds } from '../../runtime/messages/limit-messages.ts'
import { RedirectRefused } from '../../runtime/within-origin.ts'
import { NotSent } from '../port/tool.ts'
import { largestMessage } from './largest-message.ts'

export type Fetch = typeof globalThis.fetch

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
  const { status, statusText, headers, body, ok } = response
  if (body === null) return response
  const limits = ok ? largestMessage : { ...largestMessage, maxBytes: maxErrorBytes }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const limited = isStream
    ? body
        .pipeThrough(normalizeLineEnds())
        .pipeThrough(limitMessages({ ...limits, endsWith: 'empty line' }, onExceeded))
    : body.pipeThrough(limitMessages({ ...limits, endsWith: 'stream' }, onExceeded))
  return new Response(limited, { status, statusText, headers })
}

/** A code such as `ECONNREFUSED`; the message of fetch itself says only that it failed. */
function codeOf(error: unknown): string {
  const { code, message } = causeOf(error) as NodeJS.ErrnoException
  return code ?? message
}

const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error
