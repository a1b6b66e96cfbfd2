// When each step worked, and when a person was asked, for the waterfall.
import type { Card } from './cards.ts'

export interface Span {
  readonly from: number
  /** Undefined while it goes on. */
  readonly to: number | undefined
}

export interface SpanRow {
  readonly card: Card
  readonly spans: readonly Span[]
}

const timeOf = (at: string | null | undefined): number | undefined =>
  at === null || at === undefined ? undefined : Date.parse(at)

function spansOf({ step, started_at, ended_at }: Card): Span[] {
  const from = timeOf(started_at)
  if (from === undefined) return []
  if (!step) return [{ from, to: timeOf(ended_at) }]
  return step.attempts.map(({ notBefore, endedAt }, index) => ({
    from: index === 0 ? from : Date.parse(notBefore),
    to: timeOf(endedAt),
  }))
}

export const spanRows = (cards: readonly Card[]): SpanRow[] =>
  cards.map((card) => ({ card, spans: spansOf(card) })).filter(({ spans }) => spans.length > 0)
