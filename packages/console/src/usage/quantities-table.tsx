// The figures of the chart as a table: a row per period with usage, newest first, and the totals.
import { readableNumber } from '../parts/values/readable.ts'
import type { Column } from './usage-series.ts'

interface QuantitiesTableProps {
  readonly caption: string
  /** One label per period, oldest first. */
  readonly labels: readonly string[]
  readonly columns: readonly Column[]
}

const cell = 'px-2 py-1.5 text-right tabular-nums sm:px-3'
const firstCell = 'sticky left-0 bg-surface px-2 py-1.5 text-left whitespace-nowrap sm:px-3'

export function QuantitiesTable({ caption, labels, columns }: QuantitiesTableProps) {
  const rows = labels
    .map((label, index) => ({ label, quantities: columns.map(({ quantities }) => quantities[index] ?? 0) }))
    .filter(({ quantities }) => quantities.some((quantity) => quantity > 0))
    .reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full max-sm:text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-sm text-muted">
          <tr>
            <th scope="col" className={`${firstCell} font-medium`}>
              UTC
            </th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" className={`${cell} font-medium wrap-anywhere`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ label, quantities }) => (
            <tr key={label}>
              <th scope="row" className={`${firstCell} font-normal tabular-nums`}>
                {label}
              </th>
              {quantities.map((quantity, index) => (
                <td key={columns[index]?.name} className={cell}>
                  {readableNumber(quantity)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot className="border-t-2 border-line font-semibold">
          <tr>
            <th scope="row" className={`${firstCell} font-semibold`}>
              Total
            </th>
            {columns.map(({ name, total }) => (
              <td key={name} className={cell}>
                {readableNumber(total)}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}
