// Answers a waiting run: approve, reject or submit input. A repeated key returns the first answer, whatever has
// happened since. The key is looked up before the state, and again when the log refuses, because a concurrent request
// may have come first. Where rules say who decides, a key belongs to who used it first: the answer of somebody else
// would seem to count, and would not.
import {
  type AnsweredCall,
  type ApprovalRules,
  type DecidedCall,
  maxDecisions,
  type SignalAction,
} from '@runwright/contract'
import { type Actor, isFreshSignIn, isSamePerson } from '../domain/actor.ts'
import { canonicalJson } from '../domain/json/canonical-json.ts'
import { type RunState, targetOf } from '../domain/run/states.ts'
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import type { SchemaThreads } from '../runtime/schemas/schema-threads.ts'
import type { KeyedHash } from '../runtime/secrets/keyed-hash.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { Database } from '../store/postgres/database.ts'
import type { ActDetails } from '../store/requests/record-act.ts'
import type { NewEvent, NewSignal, Refused, RunChange } from '../store/run-log/run-change.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { findSignal, findSignalTarget } from '../store/runs/signals.ts'
import { findSecretContent } from '../store/sealed/inputs.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { answerForm } from './answer-form.ts'
import { checkAnswer } from './check-answer.ts'
import { runNotFound } from './run-not-found.ts'
import { workerTransition } from './transition-events.ts'

interface SentSignal {
  readonly customerId: string
  readonly runId: string
  readonly requestId: string
  /** The run's record names it. */
  readonly by: Actor
  readonly action: SignalAction
  readonly payload: unknown
  /** What it decides about the call that the run asks about, or about several. */
  readonly call?: AnsweredCall | undefined
  readonly calls?: readonly DecidedCall[] | undefined
  readonly awaitSeq: number | undefined
  readonly idempotencyKey: string | undefined
}

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly hashBody: KeyedHash
  readonly keys: SealingKeys
  readonly schemas: Pick<SchemaThreads, 'check'>
}

/** How often a signal without `await_seq` is checked against the next question when another answer came first. */
const maxTries = 5

export async function signalRun(dependencies: Dependencies, signal: SentSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const refused = await trySignal(dependencies, signal)
    if (refused === undefined) return
    if (refused.outcome !== 'other_wait' || signal.awaitSeq !== undefined || tries === maxTries)
      throw refusalOf(refused)
  }
}

/** The outcome, and the question that the signal was for. */
interface RefusedSignal extends Refused {
  readonly rules: ApprovalRules | undefined
}

/** Undefined: the signal was applied or counted, now or before. */
async function trySignal(dependencies: Dependencies, signal: SentSignal): Promise<RefusedSignal | undefined> {
  const { database, runLog, hashBody } = dependencies
  const { customerId, runId, action, payload = null, awaitSeq = null, call, calls } = signal
  const said = { action, payload, ...(call && { call }), ...(calls && { calls }) }
  const bodyHash = hashBody(canonicalJson({ ...said, await_seq: awaitSeq }))
  const target = await findSignalTarget(database, { customerId, id: runId })
  if (!target) throw runNotFound()
  const isMeant = target.seq !== undefined && (signal.awaitSeq ?? target.seq) === target.seq
  const hasRules = isMeant && target.rules !== undefined
  const use = await useOfKey(database, signal, { bodyHash, hasRules })
  if (use === 'repeat') return undefined
  // If the question has rules, the log refuses it, and first of all who may not decide.
  if (use === 'of_another' && !hasRules) throw keyOfAnother()
  const isNo = action === 'reject' || isDenial(signal)
  if (isMeant && target.rules?.reauth) refuseOldSignIn(signal.by)
  if (isMeant) await checkAnswer(dependencies, { ...signal, isNo, call, calls }, target)
  const kept = { ...signal, ...(await hideValues(dependencies, signal)) }
  // Only the question that was checked. No wait has the number 0: then the log says what is wrong.
  const seen = { ...kept, awaitSeq: (isMeant ? target.seq : undefined) ?? 0 }
  const answerHash = hashBody(canonicalJson(answerForm(said, target.callIds[0])))
  const outcome = await runLog.apply(
    signalChange(seen, { bodyHash, answerHash, isNo, mayBeCounted: target.rules !== undefined }),
  )
  if (outcome.outcome === 'applied' || outcome.outcome === 'counted') return undefined
  if (outcome.outcome === 'missing') throw runNotFound()
  if (outcome.outcome === 'moving') throw customerMoving()
  const useNow = await useOfKey(database, signal, { bodyHash, hasRules })
  if (useNow === 'repeat') return undefined
  const mayDecide = outcome.outcome !== 'not_approver' && outcome.outcome !== 'requester'
  if (useNow === 'of_another' && mayDecide) throw keyOfAnother()
  return { ...outcome, rules: target.rules }
}

/** The rules of a wait never change, and the answer counts for this wait only: so it can be checked before. */
function refuseOldSignIn({ signIn }: Actor): void {
  if (!signIn)
    throw new ServiceError(
      'REAUTH_REQUIRED',
      'This question needs a person who signs in to the console through an identity provider. API keys and decision links cannot answer it.',
    )
  if (signIn.agoMs !== null && isFreshSignIn(signIn.agoMs)) return
  throw new ServiceError(
    'REAUTH_REQUIRED',
    'Sign in again: who answers this question must have signed in within the last 5 minutes.',
  )
}

const isDenial = ({ call, calls }: SentSignal): boolean =>
  call?.deny !== undefined || calls?.every(({ deny }) => deny !== undefined) === true

interface HiddenValues {
  readonly payload: unknown
  readonly call: AnsweredCall | undefined
  readonly calls: readonly DecidedCall[] | undefined
  /** It repeats a tagged value that can be found by trying. Readers see where, so the audit log says who sent it. */
  readonly hasGuess: boolean
}

/** A tagged value that the signal repeats is stored as its placeholder. Tools still get the value. */
async function hideValues({ database, keys }: Dependencies, signal: SentSignal): Promise<HiddenValues> {
  const { customerId, runId, payload, call, calls } = signal
  const said = {
    ...(payload !== undefined && { payload }),
    ...(call !== undefined && { call }),
    ...(calls !== undefined && { calls }),
  }
  const isEmpty = call === undefined && calls === undefined && (payload === undefined || payload === null)
  const content = isEmpty ? undefined : await findSecretContent({ database, keys }, { customerId, id: runId })
  const secrets = content?.secrets
  const hidden = secrets ? await runSliced(secrets.hide(said)) : said
  const repeated = secrets && hidden !== said ? await runSliced(secrets.repeatedIn(said)) : []
  const { payload: asPayload, call: asCall, calls: asCalls } = hidden as Partial<SentSignal>
  const hasGuess = repeated.some((secret) => secret.isGuessable)
  return { payload: asPayload, call: asCall, calls: asCalls, hasGuess }
}

interface Said {
  readonly bodyHash: Buffer
  /** The question that it is for has rules about who decides. */
  readonly hasRules: boolean
}

/** Throws a conflict when the key was used for a different signal. */
async function useOfKey(
  database: Database,
  { customerId, runId: id, idempotencyKey, by }: SentSignal,
  { bodyHash, hasRules }: Said,
): Promise<'new' | 'repeat' | 'of_another'> {
  if (idempotencyKey === undefined) return 'new'
  const sent = await findSignal(database, { customerId, id }, idempotencyKey)
  if (!sent) return 'new'
  if ((hasRules || sent.hasRules) && !isSamePerson(sent, by)) return 'of_another'
  if (sent.bodyHash.equals(bodyHash)) return 'repeat'
  throw new ServiceError(
    'IDEMPOTENCY_KEY_CONFLICT',
    'This idempotency key was used for another signal to this run; send the same action, payload, call, calls and await_seq, or a new key.',
  )
}

const keyOfAnother = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_CONFLICT',
    'This idempotency key was used by somebody else for an answer to this run, so your answer was not counted; send it with a key of your own.',
  )

type Judged = Pick<NewSignal, 'bodyHash' | 'answerHash' | 'isNo' | 'mayBeCounted'>

function signalChange(signal: SentSignal & HiddenValues, judged: Judged): RunChange {
  const { action, payload, call, calls, requestId, awaitSeq, hasGuess, by } = signal
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
    act: { action: 'run.signal', by, details: actDetails(signal, hasGuess) },
    signal: {
      idempotencyKey: signal.idempotencyKey ?? null,
      action,
      payload: payload === undefined ? null : JSON.stringify(payload),
      call,
      calls,
      by,
      ...judged,
    },
  }
}

/** The log adds the roles and the count if the question has rules. */
const actDetails = ({ action, call, calls, by }: SentSignal, hasGuess: boolean): ActDetails => ({
  action,
  ...(call && { call: Object.keys(call) }),
  ...(calls && { calls: calls.map((one) => `${one.call_id}:${wordOf(one)}`) }),
  ...(by.person !== null && { person: by.person }),
  ...(by.roles.length > 0 && { roles: by.roles }),
  ...(by.linkMadeBy !== undefined && { link_made_by: by.linkMadeBy }),
  ...(hasGuess && { repeats_sensitive_value: true }),
})

const wordOf = (call: DecidedCall): string => Object.keys(call).find((name) => name !== 'call_id') ?? ''

const eventsOf = (action: SignalAction, requestId: string): NewEvent[] => {
  if (action === 'submit_input') return [{ type: 'run.input_received', payload: { request_id: requestId, action } }]
  const applied: NewEvent = { type: 'run.signal_applied', payload: { request_id: requestId, action } }
  if (action === 'approve') return [applied]
  return [applied, workerTransition('reject', { requestId, reasonCode: 'signal_rejected' })]
}

function refusalOf({ outcome, was, rules }: RefusedSignal): ServiceError {
  if (outcome === 'not_approver') return new ServiceError('APPROVER_REQUIRED', needsRole(rules))
  if (outcome === 'requester')
    return new ServiceError('APPROVER_REQUIRED', 'Who created the run may not decide about this question.')
  if (outcome === 'too_many')
    return new ServiceError('LIMIT_REACHED', `This question has had ${maxDecisions} answers already. Cancel the run.`)
  return notAwaiting(was)
}

function needsRole({ approvers = [], escalate_to: later, escalate_after_seconds: after }: ApprovalRules = {}): string {
  const escalation = later ? ` After ${after} seconds, ${later.join(', ')} may decide, too.` : ''
  return approvers.length === 0
    ? 'The API key may not decide about this question: it is revoked or has expired.'
    : `This question needs one of the roles ${approvers.join(', ')}; the caller has none.${escalation}`
}

const notAwaiting = (was: RunState | undefined): ServiceError =>
  new ServiceError(
    'RUN_NOT_AWAITING_INPUT',
    was === 'awaiting_input'
      ? 'await_seq is not the current wait of the run; send the seq of its latest run.awaiting_input event.'
      : 'The run is not awaiting input.',
  )
