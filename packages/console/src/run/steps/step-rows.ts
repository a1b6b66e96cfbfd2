// The rows of the tree of steps: each step, and below it its attempts if it has more than one.

import type { Card } from '../story/cards.ts'
import type { Span } from '../story/spans.ts'
import { spanRows } from '../story/spans.ts'

export interface StepRow {
  readonly card: Card
  /** From 0; undefined: the step itself. */
  readonly attempt: number | undefined
  readonly spans: readonly Span[]
}

export const stepRows = (cards: readonly Card[]): readonly StepRow[] => {
  const spans = new Map(spanRows(cards).map((row) => [row.card.key, row]))
  return cards.flatMap((card): StepRow[] => {
    const row = spans.get(card.key)
    const attempts = card.step && card.step.attempts.length > 1 ? card.step.attempts : []
    return [
      { card, attempt: undefined, spans: row?.spans ?? [] },
      ...attempts.map((_, attempt) => ({ card, attempt, spans: row?.spans.slice(attempt, attempt + 1) ?? [] })),
    ]
  })
}

/** The step that one wants to see first: what works or waits, what failed, or the last that did something. */
export const firstChoice = (cards: readonly Card[]): Card | undefined =>
  cards.find(({ state }) => state === 'waiting') ??
  cards.find(({ state }) => state === 'running') ??
  cards.findLast(({ state }) => state === 'failed') ??
  cards.findLast(({ state }) => state === 'succeeded') ??
  cards[0]
