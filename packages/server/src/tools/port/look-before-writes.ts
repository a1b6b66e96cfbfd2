// Looks before each write of a stream that reaches the operating system. A look further up, before a request is put
// together, leaves time in which a process can be paused. What is left here are the microseconds until the system call,
// which no process can close. So there is a look after the write, too: it tells that a pause began in them.
import type { Writable } from 'node:stream'

type Callback = (error?: Error | null) => void

/** For the log. */
export const sentLateMessage =
  'this process stood still while it wrote a request; the request may have left after its run had another worker'

interface Looks {
  /** Throws if nothing may be written any more. */
  readonly look: () => void
  /** What was written may have left after that. */
  readonly sentLate: () => void
}

/** If `look` throws, nothing is written, and the stream fails with its error. */
export function lookBeforeWrites(stream: Writable, { look, sentLate }: Looks): void {
  const write = stream._write.bind(stream)
  const lookAndWrite = (bytes: Buffer, callback: Callback): void => {
    const refusal = tryLook(look)
    if (refusal) {
      callback(refusal)
      return
    }
    write(bytes, 'buffer' as BufferEncoding, callback)
    const late = tryLook(look)
    if (!late) return
    // What the system has not taken yet stays here.
    stream.destroy(late)
    sentLate()
  }
  Object.assign(stream, {
    _write: (chunk: Chunk, encoding: BufferEncoding, callback: Callback) =>
      lookAndWrite(toBytes({ chunk, encoding }), callback),
    _writev: (chunks: Encoded[], callback: Callback) => lookAndWrite(Buffer.concat(chunks.map(toBytes)), callback),
  })
}

function tryLook(look: () => void): Error | undefined {
  try {
    look()
    return undefined
  } catch (error) {
    return error as Error
  }
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
