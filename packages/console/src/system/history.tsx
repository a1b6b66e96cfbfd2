// The last day of the service: queue, places, requests, latency and errors, and the processes that execute runs.
import { useQuery } from '@tanstack/react-query'
import { Problem } from '../parts/errors/problem.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Age } from '../parts/values/duration.tsx'
import { readableDuration, readableNumber, readableSeconds } from '../parts/values/readable.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { HistoryChart } from './history-chart.tsx'
import type { HistoryPoint } from './history-point.ts'

interface Worker {
  readonly id: string
  readonly places: number
  readonly busy: number
  readonly started_at: string
  readonly seen_at: string
}

interface ServiceHistory {
  readonly step_seconds: number
  readonly points: readonly HistoryPoint[]
  readonly workers: readonly Worker[]
}

const refreshEveryMs = 30_000

export function History() {
  const { can } = useSession()
  if (!can('keys:admin')) return <MissingScope scope="keys:admin" allows="see the last day of the service" />
  return <LoadedHistory />
}

function LoadedHistory() {
  const { readOwn } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['history'],
    queryFn: async ({ signal }) => (await readOwn('history', signal)) as ServiceHistory,
    refetchInterval: refreshEveryMs,
  })
  return (
    <>
      <Panel title="Last 24 hours" aside={data && <Step seconds={data.step_seconds} />}>
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading what="the last day" />}
        {data?.points.length === 0 && <p className="text-muted">Nothing is recorded yet. It begins within a minute.</p>}
        {data && data.points.length > 0 && <Charts points={data.points} />}
      </Panel>
      {data && data.workers.length > 0 && (
        <DataTable
          caption="Processes that execute runs"
          columns={workerColumns}
          rows={data.workers}
          keyOf={({ id }) => id}
        />
      )}
    </>
  )
}

function Step({ seconds }: { readonly seconds: number }) {
  return <span className="text-sm text-muted">a point for each {readableSeconds(seconds)}</span>
}

const oneDecimal = (value: number): string => readableNumber(Math.round(value * 10) / 10)

const charts: readonly {
  readonly name: string
  readonly of: (point: HistoryPoint) => number | null
  readonly format: (value: number) => string
  readonly tone?: 'bad'
}[] = [
  { name: 'Queued runs, most', of: ({ queued }) => queued, format: readableNumber },
  { name: 'Oldest queued run', of: ({ queue_seconds }) => queue_seconds, format: readableSeconds },
  { name: 'Busy places, on average', of: ({ busy_places }) => busy_places, format: oneDecimal },
  { name: 'Requests', of: ({ requests }) => requests, format: readableNumber },
  {
    name: 'Latency of 95 of 100 answers, worst minute',
    of: ({ latency_ms }) => latency_ms,
    format: (ms) => readableDuration(ms),
  },
  { name: 'Answers with a status of 500 or more', of: ({ errors }) => errors, format: readableNumber, tone: 'bad' },
]

function Charts({ points }: { readonly points: readonly HistoryPoint[] }) {
  return (
    <ul className="grid gap-x-8 gap-y-5 sm:grid-cols-2 xl:grid-cols-3">
      {charts.map(({ name, of, format, tone }) => (
        <li key={name} className="min-w-0">
          <HistoryChart name={name} points={points} of={of} format={format} {...(tone && { tone })} />
        </li>
      ))}
    </ul>
  )
}

const workerColumns: readonly [Column<Worker>, ...Column<Worker>[]] = [
  { name: 'Worker', cell: ({ id }) => <span className="font-mono text-xs wrap-anywhere">{id}</span> },
  { name: 'Busy places', isNumeric: true, cell: ({ busy, places }) => `${busy} of ${places}` },
  { name: 'Started', from: 'sm', cell: ({ started_at }) => <Age at={started_at} /> },
  { name: 'Seen', from: 'md', cell: ({ seen_at }) => <Age at={seen_at} /> },
]
