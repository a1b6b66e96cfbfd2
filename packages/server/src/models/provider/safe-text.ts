// Text as it comes from a provider, made storable: U+0000 and lone surrogates become U+FFFD.
import { storableText } from '../../domain/text.ts'

const endsInHalfPair = /[\uD800-\uDBFF]$/

/** For text in pieces: half a surrogate pair at the end of a piece waits for the next, which may complete it. */
export class TextRepair {
  private held = ''

  push(piece: string): string {
    const text = this.held + piece
    this.held = endsInHalfPair.exec(text)?.[0] ?? ''
    return storableText(this.held === '' ? text : text.slice(0, -1))
  }

  /** What is still held when nothing more comes. */
  end(): string {
    const rest = storableText(this.held)
    this.held = ''
    return rest
  }
}
