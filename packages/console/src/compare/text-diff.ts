// The difference of two texts by lines, with unchanged lines far from a change left out.
import { diffLines } from 'diff'

export interface DiffLine {
  readonly kind: 'same' | 'left' | 'right' | 'gap'
  readonly text: string
}

/** Beyond this many characters a difference takes too long. */
export const maxDiffLength = 100_000
const context = 3
const maxEdits = 400

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

/** Undefined if the texts are too long or too different. */
export const diffOf = (left: string, right: string): readonly DiffLine[] | undefined => {
  if (left.length + right.length > maxDiffLength) return undefined
  const parts = diffLines(left, right, { maxEditLength: maxEdits })
  const lines = parts?.flatMap(({ value, added, removed }) => {
    const kind = added ? 'right' : removed ? 'left' : 'same'
    return linesOf(value).map((text): DiffLine => ({ kind, text }))
  })
  return lines && folded(lines)
}

const folded = (lines: readonly DiffLine[]): readonly DiffLine[] => {
  const shown = new Set<number>()
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let near = index - context; near <= index + context; near += 1) shown.add(near)
  }
  return lines.flatMap((line, index) => {
    if (shown.has(index)) return [line]
    return index === 0 || shown.has(index - 1) ? [{ kind: 'gap' as const, text: '…' }] : []
  })
}
