// The title of a run: one line by which people recognise it in a list. It is made from masked values only.
import { mask } from '../secrets/mask.ts'
import { cutText, storableText } from '../text.ts'

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
const notAbout: ReadonlySet<string> = new Set(['sandbox', 'output_schema'])

function* textsOf(input: unknown): Generator<string> {
  if (typeof input !== 'object' || input === null) return
  for (const [name, value] of Object.entries(input)) {
    if (!notAbout.has(name)) yield* textsIn(value)
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  for (const member of Object.values(value)) yield* textsIn(member)
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
