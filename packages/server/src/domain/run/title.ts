// The title of a run: one line by which people recognise it in a list. It is made from masked values only.
import { cutText } from '@runwright/contract'
import { mask } from '../secrets/mask.ts'
import { storableText } from '../text.ts'

export const maxTitleLength = 120

/** What the run was created with, with tagged values masked or missing. */
interface Sources {
  /** Objects, or "***" if the whole was tagged. */
  readonly input: unknown
  readonly metadata: unknown
  readonly planGoal?: string | undefined
}

/** `metadata.title`, else the goal, else the first text of the input. Null if none of them has a visible word. */
export function titleOf({ input, metadata, planGoal }: Sources): string | null {
  for (const candidate of [memberOf(metadata, 'title'), memberOf(input, 'goal'), planGoal]) {
    const title = typeof candidate === 'string' ? toTitle(candidate) : null
    if (title !== null) return title
  }
  for (const text of textsOf(input)) {
    const title = toTitle(text)
    if (title !== null) return title
  }
  return null
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** They say how to execute the run, not what it is about. */
const notAbout: ReadonlySet<string> = new Set(['sandbox', 'output_schema', 'rubric'])

/** Values to look at: a large input without texts must not block the process. */
const maxVisits = 1_000

interface Budget {
  visits: number
}

function* textsOf(input: unknown): Generator<string> {
  if (typeof input !== 'object' || input === null) return
  const budget = { visits: maxVisits }
  for (const name in input) if (!notAbout.has(name)) yield* textsIn(memberOf(input, name), budget)
}

function* textsIn(value: unknown, budget: Budget): Generator<string> {
  budget.visits -= 1
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  for (const name in value) {
    if (budget.visits <= 0) return
    yield* textsIn(memberOf(value, name), budget)
  }
}

/** More than any title needs, so that a long text is not searched to its end. */
const maxReadLength = 2_000

function toTitle(text: string): string | null {
  const begin = cutText(text.trimStart(), maxReadLength)
  const line = storableText(begin.replace(/[\s\p{Cc}]+/gu, ' ').trim())
  return line === '' || line === mask ? null : cutAtWord(line)
}

function cutAtWord(line: string): string {
  const kept = cutText(line, maxTitleLength)
  if (kept.length === line.length) return line
  const room = cutText(line, maxTitleLength - 1)
  const space = line.charAt(room.length) === ' ' ? room.length : room.lastIndexOf(' ')
  // A line that begins with a very long word is cut inside it.
  return `${(space > maxTitleLength / 2 ? room.slice(0, space) : room).trimEnd()}…`
}
