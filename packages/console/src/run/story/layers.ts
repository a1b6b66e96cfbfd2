// The layout of the plan as a graph: a step stands one column after the last step it depends on.
import type { Card } from './cards.ts'

export interface PlacedCard {
  readonly card: Card
  readonly column: number
  readonly row: number
}

export interface PlanLayout {
  readonly placed: readonly PlacedCard[]
  readonly edges: readonly { readonly from: PlacedCard; readonly to: PlacedCard }[]
  readonly columns: number
  readonly rows: number
}

/** A plan has no cycles: the service refuses them. */
export const layOut = (cards: readonly Card[]): PlanLayout => {
  const byKey = new Map(cards.map((card) => [card.key, card]))
  const columns = new Map<string, number>()
  const columnOf = (card: Card): number => {
    const known = columns.get(card.key)
    if (known !== undefined) return known
    columns.set(card.key, 0)
    const before = card.dependsOn.flatMap((key) => byKey.get(key) ?? [])
    const column = Math.max(-1, ...before.map(columnOf)) + 1
    columns.set(card.key, column)
    return column
  }
  const heights: number[] = []
  const placed = cards.map((card) => {
    const column = columnOf(card)
    const row = heights[column] ?? 0
    heights[column] = row + 1
    return { card, column, row }
  })
  const places = new Map(placed.map((place) => [place.card.key, place]))
  const edges = placed.flatMap((to) =>
    to.card.dependsOn.flatMap((key) => {
      const from = places.get(key)
      return from ? [{ from, to }] : []
    }),
  )
  return { placed, edges, columns: heights.length, rows: Math.max(0, ...heights) }
}
