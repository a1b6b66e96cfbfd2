// Streams of bytes whose messages are limited, and passed on in parts that can be read in a moment.

import { nextTurn } from '../next-turn.ts'
import { carriageReturn, lineFeed, MessageMeter, type MeterOptions } from './message-meter.ts'

export type Bytes = Uint8Array<ArrayBuffer>
export type ByteStream = TransformStream<Uint8Array, Bytes>

/** How many bytes are passed on in one turn of the event loop. They may be hundreds of small messages. */
export const maxBytesPerTurn = 8 * 1024

/** Passes the bytes on until a message exceeds the limits: then the stream fails. */
export function limitMessages(options: MeterOptions, onExceeded: () => void = () => undefined): ByteStream {
  const meter = new MessageMeter(options)
  return new TransformStream({
    transform: async (chunk, controller) => {
      for (let start = 0; start < chunk.length; start += maxBytesPerTurn) {
        const part = chunk.slice(start, start + maxBytesPerTurn)
        const problem = meter.findProblem(part)
        if (problem !== undefined) {
          onExceeded()
          return controller.error(new Error(problem))
        }
        controller.enqueue(part)
        if (part.length === maxBytesPerTurn) await nextTurn()
      }
    },
  })
}

/**
 * Writes each line end of a stream of events as a line feed. While there is a carriage return, the parsers look for the
 * next one again with each line.
 */
export function normalizeLineEnds(): ByteStream {
  const normalize = lineEnds()
  return new TransformStream({ transform: (chunk, controller) => controller.enqueue(normalize(chunk)) })
}

/** The same, for a reader that takes the bytes of one stream chunk by chunk. */
export function lineEnds(): (chunk: Uint8Array) => Bytes {
  let endedWithReturn = false
  return (chunk) => {
    const rest = chunk.slice(endedWithReturn && chunk[0] === lineFeed ? 1 : 0)
    endedWithReturn = chunk.at(-1) === carriageReturn
    return rest.includes(carriageReturn) ? withLineFeeds(rest) : rest
  }
}

function withLineFeeds(bytes: Bytes): Bytes {
  const kept = new Uint8Array(bytes.length)
  let length = 0
  let before = 0
  for (const byte of bytes) {
    if (byte !== lineFeed || before !== carriageReturn) {
      kept[length] = byte === carriageReturn ? lineFeed : byte
      length += 1
    }
    before = byte
  }
  return kept.subarray(0, length)
}
