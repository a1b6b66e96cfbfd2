// The usage of the current UTC month: quantities, no prices.
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Button } from '../parts/button.tsx'
import { Instant } from '../parts/instant.tsx'
import { Loading, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { readableNumber } from '../parts/readable.ts'
import { useSession } from '../session/session.ts'
import { type UsageTable, usageTable } from './usage-table.ts'

export function UsageView() {
  const { client } = useSession()
  const usage = useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => client.usage.get({}, { signal }) })
  return (
    <Page title="Usage this month" actions={<Button onClick={() => void usage.refetch()}>Refresh</Button>}>
      {usage.error && <Problem error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Loading what="usage" />}
      {usage.data && (
        <>
          <p className="text-muted">
            Since {usage.data.period.start.slice(0, 10)} (UTC), as of <Instant at={usage.data.period.end} />. Quantities
            only: no prices.
          </p>
          {usage.data.usage.length === 0 ? (
            <p className="rounded-lg border border-dashed border-edge/60 px-4 py-10 text-center">
              Nothing was metered this month.
            </p>
          ) : (
            <Quantities table={usageTable(usage.data.usage)} />
          )}
        </>
      )}
    </Page>
  )
}

const cell = 'px-1 py-2 text-right tabular-nums sm:px-3'
const firstCell = 'sticky left-0 bg-surface px-2 py-2 text-left whitespace-nowrap sm:px-3'

function Quantities({ table: { eventTypes, days, totals } }: { readonly table: UsageTable }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
    <section aria-label="Quantities" tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full max-sm:text-xs">
        <caption className="sr-only">Quantities by day and event type</caption>
        <thead className="border-b border-line text-sm text-muted">
          <tr>
            <th scope="col" className={`${firstCell} font-medium`}>
              Day
            </th>
            {eventTypes.map((type) => (
              <th key={type} scope="col" className={`${cell} font-mono text-xs font-medium`}>
                <EventType name={type} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {days.map(({ day, quantities }) => (
            <tr key={day}>
              <th scope="row" className={`${firstCell} font-normal tabular-nums`}>
                <span className="max-sm:sr-only">{day.slice(0, -5)}</span>
                {day.slice(-5)}
              </th>
              {quantities.map((quantity, column) => (
                <td key={eventTypes[column]} className={cell}>
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
            {totals.map((total, column) => (
              <td key={eventTypes[column]} className={cell}>
                {readableNumber(total)}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

/** Allows a line break after a dot in a narrow column. */
function EventType({ name }: { readonly name: string }) {
  return name.split(/(?<=\.)/).map((part, index) => (
    <Fragment key={part}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
