// Looks before each write of a stream that reaches the operating system. A look further up, before a request is put
// together, leaves time in which a process can be paused. What is left here are the microseconds of the system call:
// the bytes are put together before the look.
import type { Writable } from 'node:stream'

type Callback = (error?: Error | null) => void

/** If `look` throws, nothing is written, and the stream fails with its error. */
export function lookBeforeWrites(stream: Writable, look: () => void): void {
  const write = stream._write.bind(stream)
  const lookAndWrite = (bytes: Buffer, callback: Callback): void => {
    try {
      look()
    } catch (error) {
      callback(error as Error)
      return
    }
    write(bytes, 'buffer' as BufferEncoding, callback)
  }
  Object.assign(stream, {
    _write: (chunk: Chunk, encoding: BufferEncoding, callback: Callback) =>
      lookAndWrite(toBytes({ chunk, encoding }), callback),
    _writev: (chunks: Encoded[], callback: Callback) => lookAndWrite(Buffer.concat(chunks.map(toBytes)), callback),
  })
}

type Chunk = string | Uint8Array

interface Encoded {
  readonly chunk: Chunk
  readonly encoding: BufferEncoding
}

function toBytes({ chunk, encoding }: Encoded): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding)
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
