// Fixed words of the domain as a list in a statement: `'queued', 'running'`. Not for values that come from outside.

const plainWord = /^[a-z_]+$/

export function sqlList(words: readonly string[]): string {
  const odd = words.find((word) => !plainWord.test(word))
  if (odd !== undefined) throw new Error(`not a plain word: ${odd}`)
  return words.map((word) => `'${word}'`).join(', ')
}
