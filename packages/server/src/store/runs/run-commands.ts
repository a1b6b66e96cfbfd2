// Commands that were carried out under an idempotency key. Each is an entry of the run's journal, written with the
// change. The engine does not read these entries.
import { createHash } from 'node:crypto'
import type { EventType } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'

const prefix = 'command:'

/** Matches the keys of all entries but those of commands. */
export const isOfEngine = (key: string): string => `${key} not like '${prefix}%'`

/** Keys may contain names of people, so they are not stored themselves. */
export const commandKey = (command: string, idempotencyKey: string): string =>
  `${prefix}${command}:${createHash('sha256').update(idempotencyKey).digest('hex')}`

interface CommandQuestion {
  readonly customerId: string
  readonly runId: string
  /** Of the entry. */
  readonly key: string
  /** The event that the command has written. */
  readonly eventType: EventType
}

interface CommandState {
  readonly epoch: number
  /** When the command was carried out. Undefined: it was not. */
  readonly doneAt: Date | undefined
}

/** One snapshot: a change with this epoch is refused if a command was carried out since. Undefined: no such run. */
export async function findCommand(
  database: Database,
  { customerId, runId, key, eventType }: CommandQuestion,
): Promise<CommandState | undefined> {
  const [row] = await database.query<{ epoch: number; is_done: boolean; done_at: Date | null; updated_at: Date }>({
    text: `
select r.epoch, r.updated_at, j.key is not null as is_done,
  case when j.key is not null then (
    select e.at
    from events e
    where e.customer_id = r.customer_id and e.run_id = r.id and e.type = $4
      and e.payload->>'request_id' = j.body->>'request_id'
    order by e.seq
    limit 1
  ) end as done_at
from runs r
left join journal j on j.customer_id = r.customer_id and j.run_id = r.id and j.key = $3
where r.customer_id = $1 and r.id = $2`,
    values: [customerId, runId, key, eventType],
  })
  return row && { epoch: row.epoch, doneAt: row.is_done ? (row.done_at ?? row.updated_at) : undefined }
}
