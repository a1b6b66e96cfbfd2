// Measures the JSON messages of a stream of bytes before they are parsed: how long they are, and how many keys and
// values they have. To parse one cannot be interrupted, and a server that a model or a customer talks to chooses what
// it says.

export interface MessageLimits {
  readonly maxBytes: number
  /** Of keys and values together. */
  readonly maxParts: number
}

export interface MeterOptions extends MessageLimits {
  /** What ends a message: each line, an empty line as in a stream of events, or the end of all bytes. */
  readonly endsWith: 'line' | 'empty line' | 'stream'
}

export const lineFeed = 0x0a
export const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
// `[` and `{` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b

/** What of the text was read so far. */
interface Place {
  bytes: number
  parts: number
  isInString: boolean
  isEscaped: boolean
  isLineEmpty: boolean
}

export class MessageMeter {
  readonly #options: MeterOptions
  readonly #place: Place = { bytes: 0, parts: 1, isInString: false, isEscaped: false, isLineEmpty: true }

  constructor(options: MeterOptions) {
    this.#options = options
  }

  /** Counts the next bytes. Returns what is wrong with their message, as a clause; undefined: nothing. */
  findProblem(chunk: Uint8Array): string | undefined {
    const { maxBytes, maxParts, endsWith } = this.#options
    const place = this.#place
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      place.bytes += 1
      if (byte === lineFeed) endLine(place, endsWith)
      else count(place, byte)
      if (place.bytes > maxBytes) return `a message has more than ${maxBytes} bytes`
      if (place.parts > maxParts) return `a message has more than ${maxParts} keys and values`
    }
    return undefined
  }
}

/** No string of JSON goes on in the next line. In a stream of events, a quote need not even be part of JSON. */
function endLine(place: Place, endsWith: MeterOptions['endsWith']): void {
  if (endsWith === 'line' || (endsWith === 'empty line' && place.isLineEmpty)) {
    place.bytes = 0
    place.parts = 1
  }
  place.isInString = false
  place.isEscaped = false
  place.isLineEmpty = true
}

function count(place: Place, byte: number): void {
  if (byte !== carriageReturn) place.isLineEmpty = false
  if (place.isEscaped) place.isEscaped = false
  else if (place.isInString) {
    if (byte === quote) place.isInString = false
    else if (byte === backslash) place.isEscaped = true
  } else if (byte === quote) place.isInString = true
  else if (byte === comma || byte === colon || (byte | bracketBit) === opening) place.parts += 1
}
