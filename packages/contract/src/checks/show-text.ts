// Shows text from any source in messages: shortened, and names quoted.

/** Cuts between code points, never inside a surrogate pair, and reads no more of the text than it keeps. */
export function cutText(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text
  let end = 0
  for (let count = 0; count < maxCodePoints && end < text.length; count += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The text, or its beginning followed by how much is missing: `abc (1,760 more characters)…`. */
export function shortenText(text: string, maxCodePoints: number): string {
  const kept = cutText(text, maxCodePoints)
  if (kept.length === text.length) return text
  let missing = 0
  for (const _ of text.slice(kept.length)) missing += 1
  return `${kept} (${missing.toLocaleString('en-US')} more characters)…`
}

const maxShownLength = 128

/** Quotes a name from a client or a model and limits its length, for use in messages. */
export const showName = (name: string): string =>
  JSON.stringify(name.length <= maxShownLength ? name : `${name.slice(0, maxShownLength)}…`)
