// What a run is called: its own title, its goal, or the first words of its input.
import type { RunInput } from '@runwright/contract'

const longest = 120

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (value: unknown, field: string): string | undefined => {
  const text = isRecord(value) ? value[field] : undefined
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

const firstText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value !== 'object' || value === null) return undefined
  for (const inner of Object.values(value)) {
    const text = firstText(inner)
    if (text !== undefined) return text
  }
  return undefined
}

/** At most 120 characters on one line, cut at a word. */
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= longest) return line
  const start = line.slice(0, longest - 1)
  const end = start.lastIndexOf(' ')
  return `${end > longest / 2 ? start.slice(0, end) : start}…`
}

interface TitledRun {
  readonly id: string
  /** As the service gives it, if it does. */
  readonly title?: string | null | undefined
  readonly plan?: { readonly goal?: string | undefined } | null | undefined
}

export const titleOfRun = (run: TitledRun, sent: RunInput | null | undefined): string => {
  const found =
    run.title ??
    textIn(sent?.metadata, 'title') ??
    textIn(sent?.input, 'goal') ??
    textIn(run.plan, 'goal') ??
    firstText(sent?.input)
  return found === undefined ? run.id : shortened(found)
}
