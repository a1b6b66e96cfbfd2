// A table of rows. A table that is wider than the screen scrolls by itself, also by keyboard.
import type { ReactNode } from 'react'
import { useKeptFocus } from '../use-kept-focus.ts'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers are aligned at the right. */
  readonly isNumeric?: boolean
  /** Hidden on a screen below this width. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl'
}

interface DataTableProps<Row> {
  readonly caption: string
  readonly columns: readonly [Column<Row>, ...Column<Row>[]]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

const shownFrom = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const

const classOf = <Row,>({ isNumeric, from }: Column<Row>) =>
  `px-3 py-2 ${isNumeric ? 'text-right tabular-nums' : 'text-left'} ${from ? shownFrom[from] : ''}`

export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns
  const keptFocus = useKeptFocus<HTMLElement>()
  return (
    <section
      {...keptFocus}
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-sm text-muted">
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={`${classOf(column)} font-medium whitespace-nowrap`}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="align-baseline">
              <th scope="row" className={`${classOf(first)} font-normal`}>
                {first.cell(row)}
              </th>
              {others.map((column) => (
                <td key={column.name} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
