// Deletes a run that has ended, at the request of its customer.
import type { Actor } from '../domain/actor.ts'
import { terminalStates, wireStatus } from '../domain/run/states.ts'
import { ServiceError } from '../domain/service-error.ts'
import { runNotFound } from '../runs/run-not-found.ts'
import type { Database } from '../store/postgres/database.ts'
import { removeRunIfEnded } from '../store/run-log/remove-runs.ts'
import type { Announce } from '../store/run-log/run-log.ts'
import type { RunKey } from '../store/runs/run-key.ts'

interface Dependencies {
  readonly database: Database
  readonly announce: Announce
}

export async function deleteRun({ database, announce }: Dependencies, run: RunKey, by: Actor): Promise<void> {
  const state = await removeRunIfEnded(database, run, by)
  if (!state) throw runNotFound()
  if (!terminalStates.includes(state)) {
    throw new ServiceError(
      'RUN_STATE_CONFLICT',
      `A run can be deleted only after it has ended; this one is ${wireStatus(state)}. Cancel it first.`,
    )
  }
  announce([removal(run)])
}

/** Lists of runs are read again. */
export const removal = ({ customerId, id }: RunKey) => ({
  customerId,
  runId: id,
  state: undefined,
  claimable: false,
  events: [],
})
