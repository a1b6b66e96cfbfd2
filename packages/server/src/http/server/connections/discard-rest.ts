// Reads and discards the rest of a request body after the response was sent. Closing at once would reset the connection
// of a client that is still sending, and many clients then report a broken pipe instead of the response.
import type { IncomingMessage } from 'node:http'

interface Limits {
  readonly bytes: number
  readonly ms: number
}

const limits: Limits = { bytes: 64 * 1024 * 1024, ms: 5_000 }

/** Resolves when the body has ended, the client has gone, or a limit is reached: then the connection can be closed. */
export function discardRest(request: IncomingMessage, { bytes, ms }: Limits = limits): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = bytes
    const stop = () => {
      clearTimeout(timer)
      request.off('data', count).off('end', stop).off('close', stop)
      resolve()
    }
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
    }
    const timer = setTimeout(stop, ms)
    request.on('data', count).once('end', stop).once('close', stop).resume()
  })
}
