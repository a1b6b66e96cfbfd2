// A fetch that says when an MCP server is gone or has forgotten the session, and reads no endless answers.

export type Fetch = typeof globalThis.fetch

// Larger than any result that could be stored, and the limit that the SDK has for programs.
export const maxAnswerBytes = 10 * 1024 * 1024

export function watchFetch(fetch: Fetch, onLost: (reason: string) => void): Fetch {
  let isListening = false
  return async (url, init) => {
    const isPost = init?.method === 'POST'
    const response = await fetch(url, init).catch((error: unknown) => {
      if (init?.signal?.aborted !== true) onLost(`it cannot be reached: ${codeOf(error)}`)
      throw error
    })
    // Some servers have no stream to listen to and say so in many ways; only one that had it can lose it.
    if ((isPost || isListening) && (await isSessionLost(response, init))) onLost('it has forgotten the session')
    isListening ||= init?.method === 'GET' && response.ok
    return response.ok ? limitBody(response, () => onLost('its answer was too large')) : response
  }
}

/** 404 by the protocol; many servers say 400 and a word about sessions. */
async function isSessionLost(response: Response, init: RequestInit | undefined): Promise<boolean> {
  if (!new Headers(init?.headers).has('mcp-session-id')) return false
  if (response.status !== 400) return response.status === 404
  return /session/i.test(await response.clone().text())
}

/** Of a stream each line is limited, since it holds a message and the stream has no end; of any other answer the whole. */
function limitBody(response: Response, onExceeded: () => void): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lineEnd = isStream ? chunk.lastIndexOf(0x0a) : -1
      bytes = lineEnd < 0 ? bytes + chunk.length : chunk.length - lineEnd - 1
      if (bytes <= maxAnswerBytes) return controller.enqueue(chunk)
      onExceeded()
      controller.error(new Error(`The answer of the MCP server has more than ${maxAnswerBytes} bytes.`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, statusText, headers })
}

/** `ECONNREFUSED` and its like; fetch itself says only that it failed. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, message } = cause as NodeJS.ErrnoException
  return code ?? message
}
