// Text of models, tools and clients on a terminal: see `visibleText` of the contract.
import { dangerousCharacters, escapedCharacter, visibleText } from '@runwright/contract'

/** Keeps line breaks and tabs. */
export const safeText = visibleText

// The colours of `style.ts`. A text of others that has them can be coloured, but nothing more.
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a colour begins.
const colour = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/u

/** The last look at what a command prints, in case a text in it was not made safe. Colours of the command stay. */
export const safeOutput = (text: string): string =>
  text
    .split(colour)
    .map((part) => (colour.test(part) ? part : part.replace(dangerousCharacters, escapedCharacter)))
    .join('')

/** On one line: line breaks and tabs become spaces. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/g, ' ').trim()

/** JSON that stays valid: JSON.stringify leaves some of these characters as they are. */
export const safeJson = (json: string): string =>
  json.replace(dangerousCharacters, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Cut to a number of characters, with "…" for what is missing. */
export function shortLine(text: string, length: number): string {
  const characters = [...safeLine(text)]
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`
}
