// What one listener hears of a stream of tokens, each of which is the time of its write. Keeps how late each came.
import { createHash } from 'node:crypto'

export class SpokenText {
  #histogram
  #epoch
  #text = ''
  /** Where the first token begins that is not complete yet. */
  #read = 0

  constructor(histogram, epoch) {
    this.#histogram = histogram
    this.#epoch = epoch
  }

  hear(piece, now) {
    this.#text += piece
    for (let end = this.#text.indexOf(' ', this.#read); end >= 0; end = this.#text.indexOf(' ', this.#read)) {
      this.#histogram.add(now - this.#epoch - Number.parseInt(this.#text.slice(this.#read, end), 36))
      this.#read = end + 1
    }
  }

  get hash() {
    return createHash('sha256').update(this.#text).digest('hex')
  }
}
