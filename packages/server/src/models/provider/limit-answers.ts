// A fetch that limits the memory a response can use. The event stream parser buffers a line until it ends, and an error
// response is read whole.

/** The body fails with an error once a line of it, or an error response as a whole, exceeds `maxBytes`. */
export function limitAnswers(fetch: typeof globalThis.fetch, maxBytes: number): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request)
    const { ok, status, statusText, headers } = response
    const body = response.body?.pipeThrough(ok ? limitLines(maxBytes) : limitWhole(maxBytes))
    return body === undefined ? response : new Response(body, { status, statusText, headers })
  }
}

type Count = (before: number, chunk: Uint8Array) => number

const lineFeed = 10

const limitLines = (maxBytes: number) =>
  limit(maxBytes, (before, chunk) => {
    const lastBreak = chunk.lastIndexOf(lineFeed)
    return lastBreak === -1 ? before + chunk.length : chunk.length - lastBreak - 1
  })

const limitWhole = (maxBytes: number) => limit(maxBytes, (before, chunk) => before + chunk.length)

function limit(maxBytes: number, count: Count): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes = count(bytes, chunk)
      if (bytes <= maxBytes) controller.enqueue(chunk)
      else controller.error(new Error(`more than ${maxBytes} bytes came without an end`))
    },
  })
}
