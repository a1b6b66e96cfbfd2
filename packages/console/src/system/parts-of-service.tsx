// The parts of the service: the process that answers, the database, the queue, and the processes that execute runs.
import type { Dependencies } from '@runwright/contract'
import { Facts } from '../parts/layout/facts.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Bar } from '../parts/values/bar.tsx'
import { readableNumber, readableSeconds } from '../parts/values/readable.ts'
import { counted } from './counted.ts'
import { Health } from './health.tsx'

type Queue = Dependencies['dependencies']['queue']

const unlessNull = <T,>(value: T | null | undefined, show: (known: T) => string) =>
  value === null || value === undefined ? <span className="text-muted">unknown</span> : show(value)

const milliseconds = (value: number) => `${value} ms`

export function ServicePanel({ version, node_version }: Dependencies) {
  return (
    <Panel title="Service">
      <Facts
        facts={[
          { name: 'Runwright', value: unlessNull(version, String) },
          { name: 'Node.js', value: unlessNull(node_version, String) },
        ]}
      />
    </Panel>
  )
}

export function DatabasePanel({ status, engine, version, latency_ms }: Dependencies['dependencies']['database']) {
  return (
    <Panel title="Database" aside={<Health isWell={status === 'ok'} word={status} />}>
      <Facts
        facts={[
          { name: 'Engine', value: engine },
          { name: 'Version', value: unlessNull(version, String) },
          { name: 'Latency', value: unlessNull(latency_ms, milliseconds) },
        ]}
      />
    </Panel>
  )
}

export function QueuePanel({ status, depth, oldest_seconds, latency_ms }: Queue) {
  return (
    <Panel title="Queue" aside={<Health isWell={status === 'ok'} word={status} />}>
      <Facts
        facts={[
          { name: 'Queued runs', value: unlessNull(depth, counted) },
          { name: 'Oldest', value: unlessNull(oldest_seconds, readableSeconds) },
          { name: 'Latency', value: unlessNull(latency_ms, milliseconds) },
        ]}
      />
    </Panel>
  )
}

export function WorkersPanel({ workers, places, busy_places: busy }: Queue) {
  const areKnown = typeof places === 'number' && typeof busy === 'number'
  return (
    <Panel title="Workers">
      <Facts facts={[{ name: 'Processes', value: unlessNull(workers, readableNumber) }]} />
      {areKnown && places > 0 && (
        <div className="mt-2">
          <Bar label="Busy places" value={busy} limit={places} format={counted} />
          <p className="mt-1 text-sm text-muted">A place executes one run at a time.</p>
        </div>
      )}
      {workers === 0 && (
        <p className="mt-2 text-sm text-warn">No worker is running. Queued runs wait until one starts.</p>
      )}
    </Panel>
  )
}
