// The life of a run as one total table: states × triggers → next state. Conflicts, SQL guards and docs are derived from it.
import type { RunStatus } from '@runwright/contract'

/** `awaiting_input` is a state of its own in here; on the wire it is `running`. */
export const runStates = ['queued', 'running', 'awaiting_input', 'stalled', 'succeeded', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

export const runTriggers = [
  'claim',
  'recover',
  'take_over',
  'hand_over',
  'progress',
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

type Row = Readonly<Record<RunTrigger, RunState | null>>

const refusesAll: Row = {
  claim: null,
  recover: null,
  take_over: null,
  hand_over: null,
  progress: null,
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

const canEnd = { ...refusesAll, cancel: 'cancelled', exceed_limit: 'failed' } as const satisfies Row

export const transitions: Readonly<Record<RunState, Row>> = {
  queued: { ...canEnd, claim: 'running' },
  running: {
    ...canEnd,
    take_over: 'running',
    hand_over: 'running',
    progress: 'running',
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
  succeeded: refusesAll,
  failed: { ...refusesAll, retry: 'queued' },
  cancelled: refusesAll,
}

/** The states from which a trigger is allowed. */
export const statesThatAllow = (trigger: RunTrigger): readonly RunState[] =>
  runStates.filter((state) => transitions[state][trigger] !== null)

/** The one state a trigger leads to. */
export function targetOf(trigger: RunTrigger): RunState {
  const targets = new Set(runStates.map((state) => transitions[state][trigger]).filter((target) => target !== null))
  const [target] = targets
  if (target === undefined || targets.size > 1) throw new Error(`trigger ${trigger} has ${targets.size} targets`)
  return target
}

export const wireStatus = (state: RunState): RunStatus => (state === 'awaiting_input' ? 'running' : state)

/** The inner states behind a status on the wire. */
export const statesBehind = (status: RunStatus): readonly RunState[] =>
  runStates.filter((state) => wireStatus(state) === status)

/** No trigger but a retry leads out of these. */
export const terminalStates: readonly RunState[] = runStates.filter((state) => transitions[state].cancel === null)
