// What is the same in two texts, and what is not: by lines, and within changed lines by words. Texts that differ too
// much for a comparison in bounded time are given as one removal and one addition.
import { diffLines, diffWordsWithSpace } from 'diff'

export interface TextPart {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** A bound for the work: it grows with the square of the number of changes. */
const mostChanges = 2_000
const mostMs = 200

interface Change {
  readonly value: string
  readonly added?: boolean
  readonly removed?: boolean
}

const partOf = ({ value, added, removed }: Change): TextPart => ({
  kind: added ? 'added' : removed ? 'removed' : 'same',
  text: value,
})

const whole = (before: string, after: string): readonly TextPart[] => [
  { kind: 'removed', text: before },
  { kind: 'added', text: after },
]

const isOneLine = (text: string) => !text.trimEnd().includes('\n')

export const compareTexts = (before: string, after: string): readonly TextPart[] => {
  if (before === after) return [{ kind: 'same', text: before }]
  const bounds = { maxEditLength: mostChanges, timeout: mostMs }
  const changes =
    isOneLine(before) && isOneLine(after) ? diffWordsWithSpace(before, after, bounds) : diffLines(before, after, bounds)
  return changes ? changes.map(partOf).filter(({ text }) => text !== '') : whole(before, after)
}
