// When each step worked, and when the run waited for a person, for the waterfall. A step without an event for its
// beginning began when it could: after the steps it depends on.
import type { Card } from './cards.ts'
import type { Story, StoryWait } from './story.ts'

export interface Span {
  readonly from: number
  /** Undefined while it goes on. */
  readonly to: number | undefined
}

export interface SpanRow {
  readonly card: Card
  readonly spans: readonly Span[]
  readonly calls: readonly (Span & { readonly name: string })[]
}

const endOf = (card: Card | undefined): number => {
  const at = card?.signal?.at ?? card?.step?.attempts.at(-1)?.endedAt
  return at === undefined ? 0 : Date.parse(at)
}

const firstStart = (card: Card, byKey: ReadonlyMap<string, Card>, runStart: number): number => {
  const attempt = card.step?.attempts[0]
  if (!attempt) return runStart
  const firstAt = Date.parse(attempt.firstAt)
  // With a plan, the end of an unrelated step beside it says nothing about its beginning.
  const ready =
    card.kind === 'agent' || card.kind === 'tool'
      ? Math.max(runStart, ...card.dependsOn.map((key) => endOf(byKey.get(key))))
      : Date.parse(attempt.notBefore)
  return Math.min(firstAt, ready)
}

/** Events do not name the gate: its wait is the one before its answer, or the last one. */
const waitOf = ({ kind, state, signal }: Card, waits: readonly StoryWait[]): StoryWait | undefined => {
  if (kind !== 'gate') return undefined
  if (signal) return waits.findLast(({ seq }) => seq < signal.seq)
  return state === 'waiting' || state === 'stopped' ? waits.at(-1) : undefined
}

const spanOf = ({ from, to }: StoryWait): Span => ({
  from: Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
})

export const spanRows = (
  cards: readonly Card[],
  { startedAt, waits }: Pick<Story, 'startedAt' | 'waits'>,
): SpanRow[] => {
  const byKey = new Map(cards.map((card) => [card.key, card]))
  const runStart = startedAt === undefined ? 0 : Date.parse(startedAt)
  return cards.flatMap((card) => {
    const wait = waitOf(card, waits)
    if (wait) return [{ card, spans: [spanOf(wait)], calls: [] }]
    if (!card.step) return []
    const spans = card.step.attempts.map(({ notBefore, endedAt }, index) => ({
      from: index === 0 ? firstStart(card, byKey, runStart) : Date.parse(notBefore),
      to: endedAt === undefined ? undefined : Date.parse(endedAt),
    }))
    const calls = card.step.calls.map(({ name, startedAt: at, durationMs }) => {
      const from = Date.parse(at)
      return { name, from, to: durationMs === undefined ? undefined : from + durationMs }
    })
    return [{ card, spans, calls }]
  })
}
