// Removes runs that have ended, with everything they wrote. The only place where runs are deleted.
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { type RunState, terminalStates } from '../../domain/run/states.ts'
import { toWireId } from '../../runtime/ids.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { sqlList } from '../postgres/sql-list.ts'
import { recordAct } from '../requests/record-act.ts'
import { removeStatement } from './remove-statement.ts'
import { keyHash } from './removed-keys.ts'

export interface RemovedRun {
  readonly customerId: string
  readonly id: string
}

interface LockedRun extends RemovedRun {
  readonly idempotencyKey: string
}

export interface EndedRun extends RemovedRun {
  /** As it was found. It rises with every retry, so a run that has the same one has not started again. */
  readonly epoch: number
}

// A run that someone else changes or removes at this moment is left out.
const lockStatement = `
select r.customer_id as "customerId", r.id, r.idempotency_key as "idempotencyKey"
from unnest($1::text[], $2::uuid[], $3::integer[]) as k(customer_id, id, epoch)
join runs r on ${lookUp({ 'r.customer_id': 'k.customer_id', 'r.id': 'k.id' })}
where r.epoch = k.epoch and r.state in (${sqlList(terminalStates)})
order by r.customer_id, r.id
for update of r skip locked`

/** Removes those of the runs that have not changed. Returns which. */
export const removeEndedRuns = (database: Database, runs: readonly EndedRun[]): Promise<RemovedRun[]> =>
  // Not retried: the next search finds what is left.
  database.transaction(async (client) => {
    const values = [...idsOf(runs), runs.map(({ epoch }) => epoch)]
    const { rows } = await client.query<LockedRun>(lockStatement, values)
    await remove(client, rows)
    return rows
  })

/** Removes a run if it has ended. Returns the state it was in; undefined: the customer has no such run. */
export async function removeRunIfEnded(database: Database, run: RemovedRun, by: Actor): Promise<RunState | undefined> {
  let state: RunState | undefined
  await withRetry(() =>
    database.transaction(async (client) => {
      const { rows } = await client.query<{ state: RunState; key: string }>(
        'select state, idempotency_key as key from runs where customer_id = $1 and id = $2 for update',
        [run.customerId, run.id],
      )
      // After a lost answer to the commit, the second attempt finds no run.
      state = rows[0]?.state ?? state
      const [found] = rows
      if (!found || !terminalStates.includes(found.state)) return
      await remove(client, [{ ...run, idempotencyKey: found.key }])
      await recordAct(client, { ...run, by, action: 'run.delete', target: toWireId('run', run.id) })
    }),
  )
  return state
}

/** A second statement: only its snapshot sees everything that was written before the rows were locked. */
async function remove(client: pg.PoolClient, runs: readonly LockedRun[]): Promise<void> {
  if (runs.length === 0) return
  const hashes = runs.map(({ customerId, idempotencyKey }) => keyHash(customerId, idempotencyKey))
  await client.query(removeStatement, [...idsOf(runs), hashes])
}

const idsOf = (runs: readonly RemovedRun[]) => [runs.map(({ customerId }) => customerId), runs.map(({ id }) => id)]
