// Reads the turns of a run: its calls to models. A row has only the messages that its predecessor in the chain lacks;
// here they are put together again.
import { maxPageBytes, type TurnMessage, type TurnRole } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import type { TurnBody } from '../run-log/run-change.ts'
import type { RunKey } from '../runs/run-key.ts'

export interface StoredTurn {
  readonly seq: number
  readonly attempt: number
  readonly taskKey: string
  readonly callKey: string
  readonly role: TurnRole
  readonly startedAt: Date
  /** All of them, as they were sent. */
  readonly messages: readonly TurnMessage[]
  readonly body: TurnBody
}

interface TurnPage {
  /** The seq of the last turn that is known. */
  readonly after: number
  readonly limit: number
  /** The page ends before the turn that would exceed it, but has at least one. */
  readonly maxBytes?: number
}

type TurnRow = {
  seq: number
  attempt: number
  epoch: number
  task_key: string
  call_key: string
  role: TurnRole
  started_ms: number
  shared: number
  messages: string
  /** Null before the page: of those rows only the messages are needed. */
  body: string | null
}

const largestSeq = 2_147_483_647

/** Turns after a cursor; undefined when the customer has no such run. */
export async function findTurns(
  database: Database,
  run: RunKey,
  { after, limit, maxBytes = maxPageBytes }: TurnPage,
): Promise<StoredTurn[] | undefined> {
  const rows = await database.query<TurnRow | { seq: null }>({
    name: 'find-turns',
    text: pageStatement,
    values: [run.customerId, run.id, Math.min(after, largestSeq), limit, maxBytes],
  })
  if (rows.length === 0) return undefined
  return putTogether(rows.filter((row): row is TurnRow => row.seq !== null))
}

// The seqs of a run have no gaps, so a page is a range of them. The rows before the page that have messages of its
// turns are those of the same chains.
const pageStatement = `
with page as materialized (
  select seq, epoch, task_key, role
  from (
    select seq, epoch, task_key, role, size, sum(size) over (order by seq) as bytes
    from turns
    where customer_id = $1 and run_id = $2 and seq > $3::integer and seq <= $3::bigint + $4
  ) sized
  where bytes <= $5 or bytes = size
)
select t.seq, t.attempt, t.epoch, t.task_key, t.call_key, t.role,
  (extract(epoch from t.started_at) * 1000)::bigint as started_ms, t.shared, t.messages,
  case when t.seq > $3 then t.body end as body
from runs r
left join turns t
  on t.customer_id = $1 and t.run_id = $2 and t.seq <= (select max(seq) from page)
  and (t.epoch, t.task_key, t.role) in (select epoch, task_key, role from page)
where r.customer_id = $1 and r.id = $2
order by t.seq`

function putTogether(rows: readonly TurnRow[]): StoredTurn[] {
  const chains = new Map<string, readonly TurnMessage[]>()
  const turns: StoredTurn[] = []
  for (const row of rows) {
    const chain = `${row.epoch} ${row.role} ${row.task_key}`
    const added = JSON.parse(row.messages) as TurnMessage[]
    const messages = [...(chains.get(chain) ?? []).slice(0, row.shared), ...added]
    chains.set(chain, messages)
    if (row.body !== null) turns.push(toTurn(row, messages, JSON.parse(row.body) as TurnBody))
  }
  return turns
}

const toTurn = (row: TurnRow, messages: readonly TurnMessage[], body: TurnBody): StoredTurn => ({
  seq: row.seq,
  attempt: row.attempt,
  taskKey: row.task_key,
  callKey: row.call_key,
  role: row.role,
  startedAt: new Date(row.started_ms),
  messages,
  body,
})

const turnsPerRead = 50

/** Every turn of a run, oldest first, in reads of limited size. */
export async function* allTurns(database: Database, run: RunKey): AsyncGenerator<StoredTurn, void, undefined> {
  let after = 0
  for (;;) {
    const turns = (await findTurns(database, run, { after, limit: turnsPerRead })) ?? []
    if (turns.length === 0) return
    yield* turns
    after = turns.at(-1)?.seq ?? after
  }
}
