// Answers a waiting run: approve, reject or submit input. A repeated key returns the first answer, whatever has
// happened since. The key is looked up before the state, and again when the log refuses, because a concurrent request
// may have come first.
import type { AnsweredCall, SignalAction } from '@runwright/contract'
import { actorOf } from '../domain/actor.ts'
import { canonicalJson } from '../domain/json/canonical-json.ts'
import type { Principal } from '../domain/principal.ts'
import { type RunState, targetOf } from '../domain/run/states.ts'
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import type { KeyedHash } from '../runtime/secrets/keyed-hash.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { Database } from '../store/postgres/database.ts'
import type { NewEvent, RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findWaits } from '../store/runs/run-parts.ts'
import { runExists } from '../store/runs/runs.ts'
import { findSignal } from '../store/runs/signals.ts'
import { findSecretContent } from '../store/sealed/inputs.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { runNotFound } from './run-not-found.ts'
import { workerTransition } from './transition-events.ts'

interface SentSignal {
  readonly customerId: string
  readonly runId: string
  readonly requestId: string
  /** The API key that sent it: the run's record names it. */
  readonly sentBy: Pick<Principal, 'keyId' | 'keyName' | 'sessionId'>
  readonly action: SignalAction
  readonly payload: unknown
  /** What the call ended with that the run asks about. */
  readonly call?: AnsweredCall | undefined
  readonly awaitSeq: number | undefined
  readonly idempotencyKey: string | undefined
}

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly hashBody: KeyedHash
  readonly keys: SealingKeys
}

export async function signalRun(dependencies: Dependencies, signal: SentSignal): Promise<void> {
  const { database, runLog, hashBody } = dependencies
  const { action, payload = null, awaitSeq = null, call } = signal
  const bodyHash = hashBody(canonicalJson({ action, payload, await_seq: awaitSeq, ...(call && { call }) }))
  if (!(await runExists(database, signal.customerId, signal.runId))) throw runNotFound()
  if (await wasSentBefore(database, signal, bodyHash)) return
  const kept = { ...signal, ...(await waitAbout(database, signal)), ...(await hideValues(dependencies, signal)) }
  const outcome = await runLog.apply(signalChange(kept, bodyHash))
  if (outcome.outcome === 'applied') return
  if (outcome.outcome === 'missing') throw runNotFound()
  if (outcome.outcome === 'moving') throw customerMoving()
  if (await wasSentBefore(database, signal, bodyHash)) return
  throw notAwaiting(outcome.was)
}

/** For an answer about a call: the wait that it is for, so that it cannot reach another question. */
async function waitAbout(database: Database, signal: SentSignal): Promise<Pick<SentSignal, 'awaitSeq'>> {
  const { customerId, runId, awaitSeq, call } = signal
  if (call === undefined) return { awaitSeq }
  const wait = (await findWaits(database, customerId, [runId])).get(runId)
  const isMeant = wait && (awaitSeq === undefined || awaitSeq === wait.seq)
  if (isMeant && wait.reasonCode !== 'tool_outcome_unknown') throw notAboutCall()
  return { awaitSeq: awaitSeq ?? wait?.seq }
}

const notAboutCall = (): ServiceError =>
  new ServiceError(
    'SIGNAL_PAYLOAD_INVALID',
    'call is only for a run that waits with tool_outcome_unknown; send approve, reject or a payload.',
  )

interface HiddenValues {
  readonly payload: unknown
  readonly call: AnsweredCall | undefined
  /** It repeats a tagged value that can be found by trying. Readers see where, so the audit log says who sent it. */
  readonly hasGuess: boolean
}

/** A tagged value that the signal repeats is stored as its placeholder. Tools still get the value. */
async function hideValues({ database, keys }: Dependencies, signal: SentSignal): Promise<HiddenValues> {
  const { customerId, runId, payload, call } = signal
  const said = call ?? payload
  const isEmpty = said === undefined || said === null
  const content = isEmpty ? undefined : await findSecretContent({ database, keys }, { customerId, id: runId })
  const secrets = content?.secrets
  const hidden = secrets ? await runSliced(secrets.hide(said)) : said
  const repeated = secrets && hidden !== said ? await runSliced(secrets.repeatedIn(said)) : []
  return {
    payload: call ? payload : hidden,
    call: call && (hidden as AnsweredCall),
    hasGuess: repeated.some((secret) => secret.isGuessable),
  }
}

/** True when the same signal was applied under this key. Throws a conflict when it was a different one. */
async function wasSentBefore(database: Database, signal: SentSignal, bodyHash: Buffer): Promise<boolean> {
  if (signal.idempotencyKey === undefined) return false
  const sent = await findSignal(database, { customerId: signal.customerId, id: signal.runId }, signal.idempotencyKey)
  if (sent && !sent.bodyHash.equals(bodyHash)) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_CONFLICT',
      'This idempotency key was used for another signal to this run; send the same action, payload, call and await_seq, or a new key.',
    )
  }
  return sent !== undefined
}

function signalChange(signal: SentSignal & HiddenValues, bodyHash: Buffer): RunChange {
  const { action, payload, call, requestId, awaitSeq, hasGuess } = signal
  return {
    runId: signal.runId,
    customerId: signal.customerId,
    epoch: null,
    trigger: action,
    // Claimable at once unless the answer ends the run, so an approval takes effect even if no worker is up now.
    ...(targetOf(action) === 'running' && { readyInMs: 0 }),
    // The largest integer of PostgreSQL. No event has a number this large.
    ...(awaitSeq !== undefined && { awaitSeq: Math.min(awaitSeq, 2_147_483_647) }),
    requestId,
    events: eventsOf(action, requestId),
    act: {
      action: 'run.signal',
      by: actorOf(signal.sentBy),
      details: { action, ...(hasGuess && { repeats_sensitive_value: true }) },
    },
    signal: {
      idempotencyKey: signal.idempotencyKey ?? null,
      bodyHash,
      action,
      payload: payload === undefined ? null : JSON.stringify(payload),
      call,
      keyId: signal.sentBy.keyId,
      keyName: signal.sentBy.keyName,
    },
  }
}

const eventsOf = (action: SignalAction, requestId: string): NewEvent[] => {
  if (action === 'submit_input') return [{ type: 'run.input_received', payload: { request_id: requestId, action } }]
  const applied: NewEvent = { type: 'run.signal_applied', payload: { request_id: requestId, action } }
  if (action === 'approve') return [applied]
  return [applied, workerTransition('reject', { requestId, reasonCode: 'signal_rejected' })]
}

const notAwaiting = (was: RunState | undefined): ServiceError =>
  new ServiceError(
    'RUN_NOT_AWAITING_INPUT',
    was === 'awaiting_input'
      ? 'await_seq is not the current wait of the run; send the seq of its latest run.awaiting_input event.'
      : 'The run is not awaiting input.',
  )
