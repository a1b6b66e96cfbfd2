// The state machine of a run as one complete table: states × triggers → next state. Every change of a run names its
// trigger; guards, targets, conflicts, SQL lists and docs are derived from the table.
import type { RunStatus } from '@runwright/contract'

/** `awaiting_input` is a separate state internally. The API shows it as `running`. */
export const runStates = ['queued', 'running', 'awaiting_input', 'stalled', 'succeeded', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

export const runTriggers = [
  'claim',
  'recover',
  'take_over',
  'hand_over',
  'park',
  'progress',
  'meter',
  'await_input',
  'succeed',
  'fail',
  'stall',
  'approve',
  'submit_input',
  'reject',
  'signal_timeout_cancel',
  'signal_timeout_fail',
  'signal_timeout_replan',
  'exceed_limit',
  'cancel',
  'retry',
  'resume',
] as const
export type RunTrigger = (typeof runTriggers)[number]

/** `same`: the trigger is allowed and does not change the state, the lease or the wait. */
type Row = Readonly<Record<RunTrigger, RunState | 'same' | null>>

const refusesAll: Row = {
  claim: null,
  recover: null,
  take_over: null,
  hand_over: null,
  park: null,
  progress: null,
  meter: null,
  await_input: null,
  succeed: null,
  fail: null,
  stall: null,
  approve: null,
  submit_input: null,
  reject: null,
  signal_timeout_cancel: null,
  signal_timeout_fail: null,
  signal_timeout_replan: null,
  exceed_limit: null,
  cancel: null,
  retry: null,
  resume: null,
}

/** Tokens of an aborted call may be recorded after the run has ended. */
const ended = { ...refusesAll, meter: 'same' } as const satisfies Row

const canEnd = { ...refusesAll, meter: 'same', cancel: 'cancelled', exceed_limit: 'failed' } as const satisfies Row

export const transitions: Readonly<Record<RunState, Row>> = {
  queued: { ...canEnd, claim: 'running' },
  running: {
    ...canEnd,
    take_over: 'running',
    hand_over: 'running',
    park: 'running',
    progress: 'same',
    await_input: 'awaiting_input',
    succeed: 'succeeded',
    fail: 'failed',
    stall: 'stalled',
  },
  awaiting_input: {
    ...canEnd,
    approve: 'running',
    submit_input: 'running',
    reject: 'failed',
    signal_timeout_cancel: 'cancelled',
    signal_timeout_fail: 'failed',
    signal_timeout_replan: 'running',
  },
  stalled: { ...canEnd, recover: 'running', resume: 'queued' },
  succeeded: ended,
  failed: { ...ended, retry: 'queued' },
  cancelled: ended,
}

// Computed once, because every change of every run uses it.
const allowedStates = Object.fromEntries(
  runTriggers.map((trigger) => [trigger, runStates.filter((state) => transitions[state][trigger] !== null)]),
) as unknown as Readonly<Record<RunTrigger, readonly RunState[]>>

/** The states from which a trigger is allowed. */
export const statesThatAllow = (trigger: RunTrigger): readonly RunState[] => allowedStates[trigger]

/** Triggers that write to a run without changing its state, lease or wait. */
export type PassiveTrigger = 'progress' | 'meter'
/** Triggers that set the state. Everything that belongs to the old state is cleared or set again. */
export type StateTrigger = Exclude<RunTrigger, PassiveTrigger>

/** The state that a trigger leads to. Undefined if it does not change the state. */
export function targetOf(trigger: StateTrigger): RunState
export function targetOf(trigger: RunTrigger): RunState | undefined
export function targetOf(trigger: RunTrigger): RunState | undefined {
  const target = targets[trigger]
  return target === 'same' ? undefined : target
}

const targets = Object.fromEntries(runTriggers.map((trigger) => [trigger, findTarget(trigger)])) as Readonly<
  Record<RunTrigger, RunState | 'same'>
>

function findTarget(trigger: RunTrigger): RunState | 'same' {
  const found = new Set(runStates.map((state) => transitions[state][trigger]).filter((target) => target !== null))
  const [target] = found
  if (target === undefined || found.size > 1) throw new Error(`trigger ${trigger} has ${found.size} targets`)
  return target
}

const keepsEpoch: ReadonlySet<RunTrigger> = new Set([
  'progress',
  'meter',
  'await_input',
  'approve',
  'submit_input',
  'signal_timeout_replan',
])

/** Whether the trigger invalidates the epoch, so that the worker that held the run can no longer write to it. */
export const raisesEpoch = (trigger: RunTrigger): boolean => !keepsEpoch.has(trigger)

export const wireStatus = (state: RunState): RunStatus => (state === 'awaiting_input' ? 'running' : state)

/** The internal states behind a status in the API. */
export const statesBehind = (status: RunStatus): readonly RunState[] =>
  runStates.filter((state) => wireStatus(state) === status)

/** The states of a run that has not ended. */
export const liveStates: readonly RunState[] = runStates.filter((state) => transitions[state].cancel !== null)

/** Only a retry leads out of these states. */
export const terminalStates: readonly RunState[] = runStates.filter((state) => transitions[state].cancel === null)
