// Limits what a server can send over a connection. The parser of HTTP reads parts of a response that are not its body
// and have no limit of their own, such as extensions of chunks and informational responses.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { FetchError } from './fetch-error.ts'

/** A body in chunks of one byte is six times as long. */
const bytesPerByte = 8
/** For the headers, and for the certificates of TLS. */
const bytesBeside = 64 * 1024

export const limitConnection =
  (connect: buildConnector.connector, maxBodyBytes: number): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) watch(result[1], maxBodyBytes * bytesPerByte + bytesBeside)
      callback(...result)
    })

/** Looks before each part is parsed. It reads nothing itself: a listener for `data` would take it from the parser. */
function watch(socket: Socket, maxBytes: number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxBytes) return
    socket.destroy(new FetchError(`The server sent more than ${maxBytes} bytes in its response.`))
  })
}
