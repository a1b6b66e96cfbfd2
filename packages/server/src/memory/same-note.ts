// Decides whether two notes say the same. Vectors are not enough: measured with the offline model, notes that differ in
// one weekday, name, number or "not" are closer (0.92 to 0.99) than many that say the same in other words (0.82 to
// 0.98). So the words decide. In doubt both notes stay, because a superseded note is no longer found.
import { hash } from 'node:crypto'

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

/** The words of a note. A note is compared with many others, and a long one takes milliseconds. */
interface NoteWords {
  readonly title: readonly string[]
  /** The hash of those of the content, in their order. */
  readonly content: string
  /** Of title and content. */
  readonly all: ReadonlySet<string>
}

const known = new WeakMap<Note, NoteWords>()

function wordsOfNote(note: Note): NoteWords {
  const words = known.get(note) ?? readWords(note)
  known.set(note, words)
  return words
}

function readWords(note: Note): NoteWords {
  const [title, content] = [wordsOf(note.title), wordsOf(note.content)]
  return {
    title: [...new Set(title)],
    content: hash('sha256', content.join(' ')),
    all: new Set([...title, ...content]),
  }
}

/** True if the contents have the same words in the same order, and neither title adds anything to the other note. */
export function isSameNote(one: Note, other: Note): boolean {
  const [ours, theirs] = [wordsOfNote(one), wordsOfNote(other)]
  if (ours.content !== theirs.content) return false
  return ours.title.every((word) => theirs.all.has(word)) && theirs.title.every((word) => ours.all.has(word))
}
