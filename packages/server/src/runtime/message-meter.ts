// Measures the JSON messages of a stream of bytes before they are parsed: how long they are, and how many keys and
// values they have. To parse one cannot be interrupted, and a server that a model or a customer talks to chooses what it
// says.

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

export class MessageMeter {
  readonly #options: MeterOptions
  #bytes = 0
  #parts = 1
  #isInString = false
  #isEscaped = false
  #isLineEmpty = true

  constructor(options: MeterOptions) {
    this.#options = options
  }

  /** Counts the next bytes. Returns what is wrong with their message, as a clause; undefined: nothing. */
  findProblem(chunk: Uint8Array): string | undefined {
    const { maxBytes, maxParts } = this.#options
    for (const byte of chunk) {
      this.#bytes += 1
      if (byte === lineFeed) this.#endLine()
      else this.#count(byte)
      if (this.#bytes > maxBytes) return `a message has more than ${maxBytes} bytes`
      if (this.#parts > maxParts) return `a message has more than ${maxParts} keys and values`
    }
    return undefined
  }

  /** No string of JSON goes on in the next line. In a stream of events, a quote need not even be part of JSON. */
  #endLine(): void {
    const { endsWith } = this.#options
    if (endsWith === 'line' || (endsWith === 'empty line' && this.#isLineEmpty)) {
      this.#bytes = 0
      this.#parts = 1
    }
    this.#isInString = false
    this.#isEscaped = false
    this.#isLineEmpty = true
  }

  #count(byte: number): void {
    if (byte !== carriageReturn) this.#isLineEmpty = false
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isInString) {
      if (byte === quote) this.#isInString = false
      else if (byte === backslash) this.#isEscaped = true
    } else if (byte === quote) this.#isInString = true
    else if (byte === comma || byte === colon || (byte | bracketBit) === opening) this.#parts += 1
  }
}
