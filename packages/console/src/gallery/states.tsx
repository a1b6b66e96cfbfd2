// Marks: what a run, a step, a call or the connection is doing.
import type { RunStatus } from '@runwright/contract'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'
import { ConnectionMark } from '../run/connection-mark.tsx'
import { StateMark, stateTones } from '../run/steps/card-state.tsx'
import type { CardState } from '../run/story/cards.ts'
import { brokenRequest } from './examples.ts'
import { Group, Row, Specimen } from './specimen.tsx'

const statuses = [
  'queued',
  'running',
  'stalled',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[]
const connections = [
  { kind: 'live' },
  { kind: 'reconnecting' },
  { kind: 'ended' },
  { kind: 'broken', error: brokenRequest },
] as const

export function States() {
  return (
    <Group title="States">
      <Specimen name="StatusMark, AwaitingMark">
        <Row>
          {statuses.map((status) => (
            <StatusMark key={status} status={status} />
          ))}
          <AwaitingMark />
        </Row>
      </Specimen>
      <Specimen name="StateMark">
        <Row>
          {(Object.keys(stateTones) as CardState[]).map((state) => (
            <StateMark key={state} state={state} />
          ))}
        </Row>
      </Specimen>
      <Specimen name="ConnectionMark">
        {connections.map((connection) => (
          <ConnectionMark key={connection.kind} connection={connection} onReconnect={() => undefined} />
        ))}
      </Specimen>
    </Group>
  )
}
