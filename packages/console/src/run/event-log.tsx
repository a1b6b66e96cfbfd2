// The live event log of a run.
import { useMemo, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Panel } from '../parts/panel.tsx'
import { Problem } from '../parts/problem.tsx'
import { EventRowItem } from './event-row.tsx'
import { eventRows } from './event-rows.ts'
import type { Connection, FollowedRun } from './run-follower.ts'

/** A long log would slow down the page: more rows are shown on demand. */
const shownAtFirst = 200

interface EventLogProps {
  readonly followed: FollowedRun
  readonly onReconnect: () => void
}

export function EventLog({ followed: { events, connection }, onReconnect }: EventLogProps) {
  const [showsAll, setShowsAll] = useState(false)
  const rows = useMemo(() => eventRows(events), [events])
  const hidden = showsAll ? 0 : Math.max(0, rows.length - shownAtFirst)
  return (
    <Panel title="Events" aside={<ConnectionMark connection={connection} />}>
      {connection.is === 'broken' && <Problem error={connection.error} onRetry={onReconnect} />}
      {rows.length === 0 && connection.is === 'live' && <p className="text-muted">Waiting for the first event…</p>}
      {hidden > 0 && <Button onClick={() => setShowsAll(true)}>Show {hidden} earlier rows</Button>}
      <ol aria-label="Events" className="-my-1 divide-y divide-line">
        {rows.slice(hidden).map((row) => (
          <EventRowItem key={row.events[0].seq} {...row} />
        ))}
      </ol>
    </Panel>
  )
}

const words: Readonly<Record<Connection['is'], string>> = {
  live: 'live',
  ended: 'the run has ended',
  broken: 'not connected',
}

function ConnectionMark({ connection }: { readonly connection: Connection }) {
  const dot = connection.is === 'live' ? 'bg-good motion-safe:animate-pulse' : 'bg-edge'
  return (
    <span role="status" className="flex items-center gap-1.5 text-sm text-muted">
      <span className={`size-2 rounded-full ${dot}`} /> {words[connection.is]}
    </span>
  )
}
