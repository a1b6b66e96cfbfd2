// Puts the chunks of a stream together to lines, each of which is a message. In linear time, however small the chunks
// are: the SDK copies and searches all that it holds for each chunk.
import { lineFeed, MessageMeter } from '../../runtime/messages/message-meter.ts'
import { largestMessage } from './largest-message.ts'

export class LineBuffer {
  readonly #meter = new MessageMeter({ ...largestMessage, endsWith: 'line' })
  #held = Buffer.alloc(0)
  #bytes = 0

  /** The lines that end in this chunk, without their line feeds. Throws if a line is too large. */
  push(chunk: Buffer): string[] {
    const problem = this.#meter.findProblem(chunk)
    if (problem !== undefined) throw new Error(problem)
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#hold(chunk.subarray(start, end))
      lines.push(this.#held.toString('utf8', 0, this.#bytes))
      this.#bytes = 0
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    return lines
  }

  #hold(part: Buffer): void {
    const bytes = this.#bytes + part.length
    if (bytes > this.#held.length) this.#grow(bytes)
    part.copy(this.#held, this.#bytes)
    this.#bytes = bytes
  }

  /** To twice the size, so that all copies together are linear. */
  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(64 * 1024, bytes * 2))
    this.#held.copy(larger, 0, 0, this.#bytes)
    this.#held = larger
  }
}
