// Erases a customer, or one of its subjects: ends its runs, waits until no worker executes them, deletes everything.
// Each step can be repeated: an erasure that was interrupted is completed by the next one.

import { runCancelled } from '../runs/transition-events.ts'
import { newWireId } from '../runtime/ids.ts'
import { closeCustomer } from '../store/erasure/close-customer.ts'
import { forgetSubject } from '../store/erasure/forget-subject.ts'
import { type DataOwner, findEndedRuns, findLiveRuns, findMemoryIds } from '../store/erasure/runs-of.ts'
import { deleteMemoryItems } from '../store/memory/delete.ts'
import type { Database } from '../store/postgres/database.ts'
import { forgetCustomer } from '../store/run-log/forget-customer.ts'
import { removeEndedRuns } from '../store/run-log/remove-runs.ts'
import { RunLog } from '../store/run-log/run-log.ts'
import { deleteSchedulesOf } from '../store/schedules/schedules.ts'

export interface ErasureOptions {
  readonly database: Database
  /** How long a worker may go on with a run that was cancelled: the length of a lease. */
  readonly leaseMs: number
  readonly pause: (ms: number) => Promise<void>
}

export interface Erased {
  readonly runs: number
  readonly memoryItems: number
}

/** How long processes accept a key that was revoked. */
const keyCacheMs = 5_000
/** How long a schedule may take to create its runs. */
const tickMs = 5_000
const batchSize = 100
const lockedMs = 100

export async function eraseCustomer(options: ErasureOptions, customerId: string): Promise<Erased> {
  await closeCustomer(options.database, customerId)
  await options.pause(keyCacheMs)
  const erased = await eraseContent(options, { customerId })
  await forgetCustomer(options.database, customerId)
  return erased
}

export async function eraseSubject(options: ErasureOptions, customerId: string, subjectId: string): Promise<Erased> {
  const { database, pause } = options
  // Before its runs: a tick that has begun may still create one.
  if ((await deleteSchedulesOf(database, customerId, subjectId)) > 0) await pause(tickMs)
  const erased = await eraseContent(options, { customerId, subjectId })
  await forgetSubject(options.database, customerId, subjectId)
  return erased
}

async function eraseContent(options: ErasureOptions, owner: DataOwner): Promise<Erased> {
  const { database, leaseMs, pause } = options
  // A worker may save a note until it has noticed that its run was cancelled.
  if ((await cancelRuns(database, owner)) > 0) await pause(leaseMs)
  return { runs: await removeRuns(options, owner), memoryItems: await deleteMemory(database, owner) }
}

async function cancelRuns(database: Database, owner: DataOwner): Promise<number> {
  const log = new RunLog(database, () => undefined)
  const requestId = newWireId('req')
  let cancelled = 0
  for (;;) {
    const ids = await findLiveRuns(database, owner, batchSize)
    if (ids.length === 0) return cancelled
    const change = { customerId: owner.customerId, epoch: null, trigger: 'cancel' } as const
    const events = [runCancelled('cancel', requestId)]
    await Promise.all(ids.map((runId) => log.apply({ ...change, runId, events })))
    cancelled += ids.length
  }
}

async function removeRuns({ database, pause }: ErasureOptions, owner: DataOwner): Promise<number> {
  let removed = 0
  for (;;) {
    const runs = await findEndedRuns(database, owner, batchSize)
    if (runs.length === 0) return removed
    const { length } = await removeEndedRuns(database, runs)
    // Another transaction has locked them all.
    if (length === 0) await pause(lockedMs)
    removed += length
  }
}

async function deleteMemory(database: Database, owner: DataOwner): Promise<number> {
  let deleted = 0
  for (;;) {
    const ids = await findMemoryIds(database, owner, batchSize)
    if (ids.length === 0) return deleted
    deleted += await deleteMemoryItems(database, owner.customerId, ids)
  }
}
