// Puts the ports and the database of a test in the place of those of a guide, and back.

/** All in one pass: what was put in may contain another one. A number is not part of a longer one. */
export function replaceEach(text: string, pairs: Iterable<readonly [string, string]>): string {
  const replacements = new Map(pairs)
  const words = [...replacements.keys()].map((word) => word.replaceAll(/[^\w]/g, String.raw`\$&`))
  const anyWord = new RegExp(String.raw`(?<!\d)(?:${words.join('|')})(?!\d)`, 'g')
  return text.replace(anyWord, (word) => replacements.get(word) ?? word)
}
