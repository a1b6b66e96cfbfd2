// Makes a provider's text storable: U+0000 and lone surrogates become U+FFFD.
import { storableText } from '../../../domain/text.ts'

const endsInHalfPair = /[\uD800-\uDBFF]$/

/**
 * For streamed text: half a surrogate pair at the end of a piece is held until the next piece, which may complete it.
 */
export class TextRepair {
  private held = ''

  push(piece: string): string {
    const text = this.held + piece
    this.held = endsInHalfPair.exec(text)?.[0] ?? ''
    return storableText(this.held === '' ? text : text.slice(0, -1))
  }

  /** Returns what is still held when the stream ends. */
  end(): string {
    const rest = storableText(this.held)
    this.held = ''
    return rest
  }
}
