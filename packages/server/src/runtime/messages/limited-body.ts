// The body of a response, from the connection to its reader in one stream. What one message takes of memory and of work
// is limited: an event of a stream, and any other response as a whole, is held in memory until it ends, and parsed at
// once. Each further stream in between would cost as much per chunk as this one.
import { nextTurn } from '../next-turn.ts'
import { type Bytes, lineEnds, maxBytesPerTurn } from './limit-messages.ts'
import { type MessageLimits, MessageMeter } from './message-meter.ts'

/** Changes bytes on their way. It may keep some back until it has seen more. */
export interface ByteFilter {
  readonly pass: (bytes: Bytes) => Bytes
  /** What was kept back. */
  readonly end: () => Bytes
}

type Source = AsyncIterable<Uint8Array> & { destroy(): unknown }

const nothing: Bytes = new Uint8Array(0)
const unchanged: ByteFilter = { pass: (bytes) => bytes, end: () => nothing }

/** Passes on the first bytes only, and then ends. For errors, of which the beginning says enough. */
export function cutBody(source: Source, maxBytes: number): ReadableStream<Bytes> {
  let left = maxBytes
  const pass = (bytes: Bytes) => {
    const kept = bytes.subarray(0, left)
    left -= kept.length
    return kept
  }
  return readThrough(source, { ...unchanged, pass }, () => left === 0)
}

/** Fails once the body as a whole exceeds the limits. */
export function limitBody(source: Source, limits: MessageLimits): ReadableStream<Bytes> {
  const meter = new MessageMeter({ ...limits, endsWith: 'stream' })
  return readThrough(source, { ...unchanged, pass: (bytes) => checked(meter, bytes) })
}

/** Fails once an event exceeds the limits. Line ends are line feeds when `change` gets the bytes. */
export function limitEvents(source: Source, limits: MessageLimits, change = unchanged): ReadableStream<Bytes> {
  const meter = new MessageMeter({ ...limits, endsWith: 'empty line' })
  const normalize = lineEnds()
  return readThrough(source, {
    pass: (bytes) => change.pass(checked(meter, normalize(bytes))),
    end: () => change.end(),
  })
}

function checked(meter: MessageMeter, bytes: Bytes): Bytes {
  const problem = meter.findProblem(bytes)
  if (problem === undefined) return bytes
  throw new Error(problem)
}

/** Reads on demand only, so that a slow reader slows the server down. */
function readThrough(source: Source, { pass, end }: ByteFilter, isOver = () => false): ReadableStream<Bytes> {
  const parts = partsOf(source)
  let hasEnded = false
  /** Undefined: the body has ended. Otherwise at least one byte. */
  const next = async (): Promise<Bytes | undefined> => {
    while (!hasEnded) {
      const part = await parts.next()
      const bytes = part.done ? end() : pass(part.value)
      hasEnded = part.done === true || isOver()
      if (bytes.length > 0) return bytes
    }
    return undefined
  }
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const bytes = await next()
          if (bytes !== undefined) return controller.enqueue(bytes)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        source.destroy()
      },
      cancel: () => void source.destroy(),
    },
    { highWaterMark: 0 },
  )
}

/** Parts that are read in a moment, each in its own turn of the event loop. They may be hundreds of small messages. */
async function* partsOf(source: Source): AsyncGenerator<Bytes> {
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += maxBytesPerTurn) {
      if (start > 0) await nextTurn()
      yield chunk.subarray(start, start + maxBytesPerTurn) as Bytes
    }
  }
}
