// Cuts a text, or a comparison of two, into blocks that fit on any screen, so that it can be known of each whether it
// was in view.
import type { TextPart } from './compare-texts.ts'

/** On a narrow phone, these take half of the screen. */
export const mostLetters = 400
export const mostLines = 10

/** Where the first block ends: behind a space if there is one, and not inside a letter of two units. */
const endOf = (text: string, letters: number, lines: number): number => {
  let end = 0
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf('\n', end)
    if (next === -1 || next >= letters) {
      end = letters
      break
    }
    end = next + 1
  }
  if (end < letters) return end
  if (text.length <= letters) return text.length
  const space = text.lastIndexOf(' ', letters - 1) + 1
  if (space > letters / 2) return space
  return /[\uD800-\uDBFF]/.test(text.charAt(letters - 1)) ? letters - 1 : letters
}

const linesOf = (text: string): number => text.split('\n').length - 1

export const blocksOf = (parts: readonly TextPart[]): readonly (readonly TextPart[])[] => {
  const blocks: TextPart[][] = []
  let [letters, lines] = [0, 0]
  for (const { kind, text } of parts) {
    for (let at = 0; at < text.length; ) {
      if (letters <= 1 || lines <= 0) {
        blocks.push([])
        letters = mostLetters
        lines = mostLines
      }
      // The rest of a long text is not copied again for each block.
      const window = text.slice(at, at + letters + 1)
      const piece = window.slice(0, endOf(window, letters, lines))
      blocks.at(-1)?.push({ kind, text: piece })
      at += piece.length
      letters -= piece.length
      lines -= linesOf(piece)
      // What a cut at a space leaves is no room for more of the same text.
      if (at < text.length) letters = 0
    }
  }
  return blocks
}
