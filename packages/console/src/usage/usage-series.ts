// Converts usage rows to columns of numbers over the periods: one per event type, or one per workspace or subject.
import { type UsageRow, visibleText } from '@runwright/contract'

export interface Column {
  readonly name: string
  /** One quantity per period, oldest first. */
  readonly quantities: readonly number[]
  readonly total: number
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

export const columnOf = (name: string, rows: readonly UsageRow[], periods: readonly string[]): Column => {
  const byPeriod = new Map<string, number>()
  for (const { period, total_quantity } of rows) byPeriod.set(period, (byPeriod.get(period) ?? 0) + total_quantity)
  const quantities = periods.map((period) => byPeriod.get(period) ?? 0)
  return { name, quantities, total: sum(quantities) }
}

/** More colours cannot be told apart, so the rest is one column. */
const mostColumns = 7

const addUp = (name: string, columns: readonly Column[]): Column => ({
  name,
  quantities: (columns[0]?.quantities ?? []).map((_, index) => sum(columns.map((one) => one.quantities[index] ?? 0))),
  total: sum(columns.map(({ total }) => total)),
})

interface SplitOptions {
  readonly labelOf: (row: UsageRow) => string | null
  /** The name of usage without a label: `no workspace`. */
  readonly without: string
  readonly periods: readonly string[]
}

/** The largest labels first, and all others together. */
export const splitColumns = (
  rows: readonly UsageRow[],
  { labelOf, without, periods }: SplitOptions,
): readonly Column[] => {
  const byLabel = new Map<string | null, UsageRow[]>()
  for (const row of rows) {
    const some = byLabel.get(labelOf(row)) ?? []
    some.push(row)
    byLabel.set(labelOf(row), some)
  }
  const columns = [...byLabel]
    .map(([label, some]) => columnOf(label === null ? without : visibleText(label), some, periods))
    .sort((one, other) => other.total - one.total)
  if (columns.length <= mostColumns) return columns
  const rest = columns.slice(mostColumns - 1)
  return [...columns.slice(0, mostColumns - 1), addUp(`${rest.length} others`, rest)]
}

/** The heights of stacked bars: each column stands on those before it. */
export const stack = (columns: readonly Column[]): readonly (readonly number[])[] =>
  columns.map((_, index) => addUp('', columns.slice(0, index + 1)).quantities)
