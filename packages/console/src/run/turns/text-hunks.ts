// Where two texts differ, each place with a little of what stays around it. What is far from a change is left out: of a
// prompt of a million characters, often one word is another.
import { compareTexts, type TextPart } from '../../parts/values/compare-texts.ts'

export interface TextHunk {
  readonly before: string
  readonly after: string
}

/** A hunk, or how many characters that stay the same are left out. */
export type HunkOrGap = TextHunk | number

/** Of what stays, on each side of a change. */
const context = 200
/** More is several hunks, so that each of them is rendered quickly. */
const longest = 4_000

const same = (text: string): TextPart[] => (text === '' ? [] : [{ kind: 'same', text }])

/** What stays, with a number in place of what is left out. */
const fold = (text: string, { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean }) => {
  const head = isFirst ? '' : text.slice(0, context)
  const tail = isLast ? '' : text.slice(-context)
  const left = text.length - head.length - tail.length
  return left > context ? [...same(head), left, ...same(tail)] : same(text)
}

const split = ({ kind, text }: TextPart): TextPart[] =>
  Array.from({ length: Math.ceil(text.length / longest) }, (_, nth) => ({
    kind,
    text: text.slice(nth * longest, (nth + 1) * longest),
  }))

const textOf = (parts: readonly TextPart[], without: TextPart['kind']): string =>
  parts.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('')

export const textHunks = (before: string, after: string): readonly HunkOrGap[] => {
  const parts = compareTexts(before, after)
  const pieces = parts.flatMap((part, index) =>
    part.kind === 'same' ? fold(part.text, { isFirst: index === 0, isLast: index === parts.length - 1 }) : split(part),
  )
  const found: HunkOrGap[] = []
  let open: TextPart[] = []
  const close = () => {
    if (open.length > 0) found.push({ before: textOf(open, 'added'), after: textOf(open, 'removed') })
    open = []
  }
  for (const piece of pieces) {
    if (typeof piece === 'number' || textOf(open, 'added').length + textOf(open, 'removed').length > longest) close()
    if (typeof piece === 'number') found.push(piece)
    else open.push(piece)
  }
  close()
  return found
}
