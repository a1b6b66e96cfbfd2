// Text that may come from anywhere, made fit to be stored and shown.

// With the `u` flag a surrogate pair is one character, so this finds lone ones only.
const unstorable = /[\0\ud800-\udfff]/gu

/** U+0000 and lone surrogates, which PostgreSQL refuses, become U+FFFD. */
export const storableText = (text: string): string => text.replace(unstorable, '\ufffd')

/** The first code points: a cut never leaves half a surrogate pair, and reads no more of the text than it keeps. */
export function cutText(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text
  let end = 0
  for (let count = 0; count < maxCodePoints && end < text.length; count += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

const maxShownLength = 128

/** A name from a client or a model, quoted and cut to a bounded length: for use in messages. */
export const showName = (name: string): string =>
  JSON.stringify(name.length <= maxShownLength ? name : `${name.slice(0, maxShownLength)}…`)
