// Converts usage rows to a table: a row per day, a column per event type, and the totals.
import { type UsageRow, usageEventTypes } from '@runwright/contract'

export interface UsageTable {
  readonly eventTypes: readonly string[]
  readonly days: readonly { readonly day: string; readonly quantities: readonly number[] }[]
  readonly totals: readonly number[]
}

const sumOf = (rows: readonly UsageRow[]) => rows.reduce((sum, row) => sum + row.total_quantity, 0)

export const usageTable = (rows: readonly UsageRow[]): UsageTable => {
  // A newer service may have event types that this console does not know: they get a column too.
  const eventTypes = [...new Set<string>([...usageEventTypes, ...rows.map((row) => row.event_type)])]
  const quantitiesOf = (some: readonly UsageRow[]) =>
    eventTypes.map((type) => sumOf(some.filter((row) => row.event_type === type)))
  const days = [...new Set(rows.map((row) => row.period))].sort().reverse()
  return {
    eventTypes,
    days: days.map((day) => ({ day, quantities: quantitiesOf(rows.filter((row) => row.period === day)) })),
    totals: quantitiesOf(rows),
  }
}
