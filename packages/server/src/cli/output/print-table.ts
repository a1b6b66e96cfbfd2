// Renders a text table: columns as wide as their longest cell, separated by two spaces. On a terminal that is narrower,
// each row is a block of lines, one for each column, because a table whose lines are broken cannot be read.

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string | number | Date | null
}

export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  terminalWidth = widthOfTerminal(),
): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => toText(cell(row))))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))))
  const tableWidth = widths.reduce((sum, width) => sum + width + 2, -2)
  if (tableWidth > terminalWidth && rows.length > 0) return renderBlocks(lines)
  return lines.map((line) => renderLine(line, widths)).join('\n')
}

const widthOfTerminal = (): number => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)

function renderBlocks([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const width = Math.max(...titles.map(widthOf))
  const blocks = rows.map((row) => row.map((cell, at) => `${(titles[at] ?? '').padEnd(width)}  ${cell}`).join('\n'))
  return blocks.join('\n\n')
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
