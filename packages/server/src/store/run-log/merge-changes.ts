// Merges two changes of one run: a worker that is ahead of the log writes what it did meanwhile in one change.
import { statesThatAllow } from '../../domain/run/states.ts'
import type { RenderedChange } from './render-change.ts'
import type { RunChange } from './run-change.ts'

/** The size of a merged change, and of a flush, is limited: a large statement holds up the process and the database. */
export const maxChangeSize = 1024 * 1024

/**
 * Undefined unless both are by the same worker, the earlier one leaves the state as it is, and they are not too large.
 */
export function mergeChanges(earlier: RenderedChange, later: RenderedChange): RenderedChange | undefined {
  const [a, b] = [earlier.change, later.change]
  const size = earlier.size + later.size
  if (size > maxChangeSize) return undefined
  if (!isProgress(a) || !isSameWorker(a, b) || a.customerId !== b.customerId || hasOwnCondition(b)) return undefined
  const allowed = statesThatAllow(a.trigger)
  if (!statesThatAllow(b.trigger).every((state) => allowed.includes(state))) return undefined
  return {
    change: Object.assign({}, b, joined(a, b)),
    payloads: [...earlier.payloads, ...later.payloads],
    journal: [...earlier.journal, ...later.journal],
    size,
  }
}

export const isSameWorker = (a: RunChange, b: RunChange): boolean => a.epoch === b.epoch && a.workerId === b.workerId

/** A worker's write that leaves the state as it is: the guards of a later change have the same result after it. */
const isProgress = (change: RunChange): boolean =>
  change.epoch !== null && change.trigger === 'progress' && !change.requestId && !hasOwnCondition(change)

const hasOwnCondition = ({ guard, awaitSeq, signal, startsAttempt, isAlone }: RunChange): boolean =>
  guard !== undefined || awaitSeq !== undefined || signal !== undefined || startsAttempt === true || isAlone === true

const joined = (a: RunChange, b: RunChange) => ({
  tokens: (a.tokens ?? 0) + (b.tokens ?? 0),
  events: [...(a.events ?? []), ...(b.events ?? [])],
  usage: [...(a.usage ?? []), ...(b.usage ?? [])],
  journal: [...(a.journal ?? []), ...(b.journal ?? [])],
  turns: [...(a.turns ?? []), ...(b.turns ?? [])],
  resetsRecoveries: a.resetsRecoveries === true || b.resetsRecoveries === true,
})
