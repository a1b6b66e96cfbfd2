// Decides whether two notes say the same. Vectors are not enough: measured with the offline model, notes that differ in
// one weekday, name, number or "not" are closer (0.92 to 0.99) than many that say the same in other words (0.82 to
// 0.98). So the words decide. In doubt both notes stay, because a superseded note is no longer found.

export interface Note {
  readonly title: string
  readonly content: string
}

/** Words are compared only above this. In measurements, no two notes below it had the same words. */
export const sameNoteSimilarity = 0.85

// Words that can differ without a difference in meaning: no negations, numbers or prepositions of place.
const ignoredWords = new Set(
  'a an the this that these those is are was were be been am do does did has have had of if when and each every all'.split(
    ' ',
  ),
)

// Symbols other than punctuation are words, too: -5 is not 5, and C# is not C.
const word = /[\p{L}\p{N}]+|[^\p{L}\p{N}\s.,;:!'"()]/gu

const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(word) ?? []).filter((part) => !ignoredWords.has(part)).map(stem)

/** Reduces a plural to the singular; short words stay unchanged. */
const stem = (part: string): string => (/^[a-z]{3,}[^s]s$/.test(part) ? part.slice(0, -1) : part)

/** True if the contents have the same words in the same order, and neither title adds anything to the other note. */
export function isSameNote(one: Note, other: Note): boolean {
  const [ours, theirs] = [wordsOf(one.content), wordsOf(other.content)]
  if (ours.join(' ') !== theirs.join(' ')) return false
  const [title, otherTitle] = [wordsOf(one.title), wordsOf(other.title)]
  return isCovered(title, [...otherTitle, ...theirs]) && isCovered(otherTitle, [...title, ...ours])
}

const isCovered = (words: readonly string[], by: readonly string[]): boolean => words.every((word) => by.includes(word))
