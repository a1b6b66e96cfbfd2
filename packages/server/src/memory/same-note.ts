// Whether two notes say the same. Their vectors can only propose it: measured with the offline model, notes that differ in one
// weekday, name, number or "not" come closer (0.92 to 0.99) than many that say the same in other words (0.82 to 0.98). So the
// words decide, and in doubt both notes stay: what is superseded is no longer found.

export interface Note {
  readonly title: string
  readonly content: string
}

/** Below this no two notes were the same by their words; above it the words are compared. */
export const sameNoteSimilarity = 0.85

// Words that can change without changing what is said. No negation is among them, no number and no preposition of place.
const small = new Set(
  'a an the this that these those is are was were be been am do does did has have had of if when and each every all'.split(
    ' ',
  ),
)

// Signs are words too, but for those that only part sentences: -5 is not 5, and C# is not C.
const word = /[\p{L}\p{N}]+|[^\p{L}\p{N}\s.,;:!'"()]/gu

const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(word) ?? []).filter((part) => !small.has(part)).map(stem)

/** A plural is the same word; short words, such as names of places, stay as they are. */
const stem = (part: string): string => (/^[a-z]{3,}[^s]s$/.test(part) ? part.slice(0, -1) : part)

/** The same words in the same order, under titles that add nothing. */
export function isSameNote(one: Note, other: Note): boolean {
  const [ours, theirs] = [wordsOf(one.content), wordsOf(other.content)]
  if (ours.join(' ') !== theirs.join(' ')) return false
  const [title, otherTitle] = [wordsOf(one.title), wordsOf(other.title)]
  return isCovered(title, [...otherTitle, ...theirs]) && isCovered(otherTitle, [...title, ...ours])
}

const isCovered = (words: readonly string[], by: readonly string[]): boolean => words.every((word) => by.includes(word))
