// Usage rows as CSV (RFC 4180): a header line, then one line per row.
import type { UsageRow } from '@runwright/contract'

const columns = [
  'event_type',
  'count',
  'total_quantity',
  'period',
  'workspace_id',
  'subject_id',
] as const satisfies readonly (keyof UsageRow)[]

/** The lines, each with its line break. */
export function* usageCsv(rows: Iterable<UsageRow>): Generator<string, void, undefined> {
  yield toLine(columns)
  for (const row of rows) yield toLine(columns.map((column) => row[column]))
}

const toLine = (cells: readonly (string | number | null)[]): string => `${cells.map(toField).join(',')}\r\n`

function toField(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const harmless = value.replace(formulaStart, "$&'")
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * Labels come from clients, so a spreadsheet must not execute a part of one as a formula. A spreadsheet that splits at
 * semicolons, tabs or bars does not see our quotes in the middle of a line, and starts a cell after every separator.
 */
const formulaStart = /^(?=[=+\-@\t\r\n＝＋－＠])|[;,|\t\r\n](?=[ "']*[=+\-@＝＋－＠])/g
