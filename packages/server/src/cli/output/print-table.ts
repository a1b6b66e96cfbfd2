// Renders a text table: columns as wide as their longest cell, separated by two spaces.

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string | number | Date | null
}

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => toText(cell(row))))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))))
  return lines.map((line) => renderLine(line, widths)).join('\n')
}

const renderLine = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell)))
    .join('  ')
    .trimEnd()

const widthOf = (text: string): number => [...text].length

function toText(value: string | number | Date | null): string {
  if (value === null) return '-'
  return value instanceof Date ? value.toISOString() : withoutControls(String(value))
}

// Names come from clients, so control characters must not reach the operator's terminal.
const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
