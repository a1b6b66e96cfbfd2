// Whether the page is current.
import { Button } from '../parts/controls/button.tsx'
import type { Connection } from './run-follower.ts'

const words: Readonly<Record<Connection['kind'], string>> = {
  connecting: 'Connecting…',
  live: 'live',
  reconnecting: 'Reconnecting…',
  ended: 'the run has ended',
  broken: 'not connected',
}

const dots: Readonly<Record<Connection['kind'], string>> = {
  connecting: 'bg-edge motion-safe:animate-pulse',
  live: 'bg-good motion-safe:animate-pulse',
  reconnecting: 'bg-warn motion-safe:animate-pulse',
  ended: 'bg-edge',
  broken: 'bg-bad',
}

interface ConnectionMarkProps {
  readonly connection: Connection
  readonly onReconnect: () => void
}

export function ConnectionMark({ connection, onReconnect }: ConnectionMarkProps) {
  return (
    <span className="flex items-center gap-2 text-sm text-muted">
      <span role="status" className="flex items-center gap-1.5">
        <span className={`size-2 rounded-full ${dots[connection.kind]}`} /> {words[connection.kind]}
      </span>
      {connection.kind === 'broken' && <Button onClick={onReconnect}>Connect again</Button>}
    </span>
  )
}
