// Cancel, retry and resume. Each is one change to the log, refused with a conflict if the state table does not allow
// it.
import type { Actor } from '../domain/actor.ts'
import { type RunTrigger, statesThatAllow, targetOf, wireStatus } from '../domain/run/states.ts'
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import type { Database } from '../store/postgres/database.ts'
import type { RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findRun, type RunRecord } from '../store/runs/runs.ts'
import { runNotFound } from './run-not-found.ts'
import { runCancelled, runResumed, workerTransition } from './transition-events.ts'

export type RunCommand = Extract<RunTrigger, 'cancel' | 'retry' | 'resume'>

interface CommandedRun {
  readonly customerId: string
  readonly runId: string
  readonly requestId: string
  readonly by: Actor
}

type CommandChange = Omit<RunChange, 'runId' | 'customerId' | 'epoch' | 'trigger'>

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
  { database, runLog }: { database: Database; runLog: RunLog },
  command: RunCommand,
  { customerId, runId, requestId, by }: CommandedRun,
): Promise<RunRecord> {
  const run = await findRun(database, customerId, runId)
  if (!run) throw runNotFound()
  const act = { action: `run.${command}`, by } as const
  const change = { runId, customerId, epoch: null, trigger: command, act, ...changes[command](requestId) }
  const outcome = await runLog.apply(change)
  if (outcome.outcome === 'applied') return { ...run, state: targetOf(command), updatedAt: outcome.at, result: null }
  if (outcome.outcome === 'missing') throw runNotFound()
  if (outcome.outcome === 'moving') throw customerMoving()
  const status = outcome.was ? wireStatus(outcome.was) : 'in another state'
  throw new ServiceError('RUN_STATE_CONFLICT', conflictMessage(command, status))
}

function conflictMessage(command: RunCommand, status: string): string {
  const allowed = [...new Set(statesThatAllow(command).map(wireStatus))].join(', ')
  return `A run can be ${pastTense[command]} only while it is ${allowed}; this one is ${status}.`
}

const pastTense: Readonly<Record<RunCommand, string>> = { cancel: 'cancelled', retry: 'retried', resume: 'resumed' }
