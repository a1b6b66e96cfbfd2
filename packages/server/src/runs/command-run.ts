// Cancel, retry and resume. Each is one change to the log, refused with a conflict if the state table does not allow
// it.
import type { Actor } from '../domain/actor.ts'
import { type RunTrigger, statesThatAllow, targetOf, wireStatus } from '../domain/run/states.ts'
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import type { Database } from '../store/postgres/database.ts'
import type { ChangeOutcome, NewEvent, RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { commandKey, findCommand } from '../store/runs/run-commands.ts'
import { findRun, type RunRecord } from '../store/runs/runs.ts'
import { runNotFound } from './run-not-found.ts'
import { runCancelled, runResumed, workerTransition } from './transition-events.ts'

export type RunCommand = Extract<RunTrigger, 'cancel' | 'retry' | 'resume'>

interface CommandedRun {
  readonly customerId: string
  readonly runId: string
  readonly requestId: string
  readonly by: Actor
  /** A repeated command with the same key has no effect, and returns what the first one has returned. */
  readonly idempotencyKey?: string | undefined
}

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
}

interface CommandChange extends Omit<RunChange, 'runId' | 'customerId' | 'epoch' | 'trigger' | 'events'> {
  readonly events: readonly [NewEvent]
}

const changes: Readonly<Record<RunCommand, (requestId: string) => CommandChange>> = {
  cancel: (requestId) => ({ events: [runCancelled('cancel', requestId)] }),
  retry: (requestId) => ({
    readyInMs: 0,
    startsAttempt: true,
    resetsRecoveries: true,
    requestId,
    events: [workerTransition('retry', { requestId, reasonCode: null })],
  }),
  resume: (requestId) => ({
    readyInMs: 0,
    resetsRecoveries: true,
    // A run that ends its workers stays apart from others.
    keepsLostWorkers: true,
    requestId,
    events: [runResumed(requestId)],
  }),
}

/** Returns the run after the command. */
export async function commandRun(
  dependencies: Dependencies,
  command: RunCommand,
  commanded: CommandedRun,
): Promise<RunRecord> {
  const run = await findRun(dependencies.database, commanded.customerId, commanded.runId)
  if (!run) throw runNotFound()
  const { idempotencyKey } = commanded
  const change = changeOf(command, commanded)
  const updatedAt =
    idempotencyKey === undefined
      ? doneAt(await dependencies.runLog.apply(change), command)
      : await applyOnce(dependencies, change, { command, idempotencyKey })
  return { ...run, state: targetOf(command), updatedAt, result: null }
}

const changeOf = (command: RunCommand, { customerId, runId, requestId, by }: CommandedRun) => ({
  runId,
  customerId,
  epoch: null,
  trigger: command,
  act: { action: `run.${command}`, by } as const,
  ...changes[command](requestId),
})

type Change = ReturnType<typeof changeOf>

/** When the command was carried out. Throws if it was refused. */
function doneAt(outcome: ChangeOutcome, command: RunCommand): Date {
  if (outcome.outcome === 'applied') return outcome.at
  if (outcome.outcome === 'missing') throw runNotFound()
  if (outcome.outcome === 'moving') throw customerMoving()
  const status = outcome.was ? wireStatus(outcome.was) : 'in another state'
  throw new ServiceError('RUN_STATE_CONFLICT', conflictMessage(command, status))
}

/** A run changes its epoch a few times a second at most. */
const maxLooks = 10

/**
 * The change has the epoch that the run had when the key was looked up, and every command raises it. So of two requests
 * with the same key that come at the same time, one is refused here, and finds the other when it looks again.
 */
async function applyOnce(
  { database, runLog }: Dependencies,
  change: Change,
  { command, idempotencyKey }: { readonly command: RunCommand; readonly idempotencyKey: string },
): Promise<Date> {
  const { customerId, runId } = change
  const key = commandKey(command, idempotencyKey)
  const [{ type: eventType, payload }] = change.events
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const found = await findCommand(database, { customerId, runId, key, eventType })
    if (!found) throw runNotFound()
    if (found.doneAt) return found.doneAt
    const body = { request_id: payload.request_id }
    const outcome = await runLog.apply({ ...change, epoch: found.epoch, journal: [{ key, body }] })
    if (outcome.outcome !== 'lease_lost') return doneAt(outcome, command)
  }
  throw new ServiceError('OVERLOADED', 'The run changes too often. Nothing was written. Try again.', 1)
}

function conflictMessage(command: RunCommand, status: string): string {
  const allowed = [...new Set(statesThatAllow(command).map(wireStatus))].join(', ')
  return `A run can be ${pastTense[command]} only while it is ${allowed}; this one is ${status}.`
}

const pastTense: Readonly<Record<RunCommand, string>> = { cancel: 'cancelled', retry: 'retried', resume: 'resumed' }
