// A change to one run, and its outcome.
import type {
  AnsweredCall,
  ApprovalRules,
  AuditAction,
  DecidedCall,
  EventType,
  MemoryKind,
  SignalAction,
  Turn,
  TurnMessage,
  TurnReply,
  TurnRole,
  UsageEventType,
} from '@runwright/contract'
import type { Actor } from '../../domain/actor.ts'
import type { AskedCall, OtherCall } from '../../domain/run/asked-call.ts'
import type { RunState, RunTrigger } from '../../domain/run/states.ts'
import type { ActDetails } from '../requests/record-act.ts'

export interface NewEvent {
  readonly type: EventType
  /** `from_status` may be `statusOfLockedRow`: the caller may not know the status before the row is locked. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly redacted?: boolean
  /** Ends the attempt. The schema allows one such event per attempt. */
  readonly terminal?: boolean
}

export interface NewUsage {
  /** Unique in the run. One key per dispatch: a record that is written twice counts once. */
  readonly key: string
  readonly eventType: UsageEventType
  readonly quantity: number
  /** What the quantity is made of, such as cached tokens, whether it is an estimate, and the model. */
  readonly details?: Readonly<Record<string, number | boolean | string>>
}

export interface NewWait {
  readonly reasonCode: string
  readonly inputKind: string | null
  readonly prompt: string | null
  /** The call that the answer decides about, with secrets masked. */
  readonly call?: AskedCall | undefined
  /** Further calls that the answer can decide about. */
  readonly others?: readonly OtherCall[] | undefined
  /** Who may decide. Left out: everyone who may send signals. */
  readonly rules?: ApprovalRules | undefined
  readonly timeoutMs: number
  /** The engine's name for the wait. The answer is stored under it. */
  readonly key: string
}

/** That someone did this, for the audit log. */
export interface RunAct {
  readonly action: Extract<AuditAction, `run.${string}`>
  readonly by: Actor
  readonly details?: ActDetails
}

export interface NewSignal {
  readonly idempotencyKey: string | null
  readonly bodyHash: Buffer
  readonly action: SignalAction
  /** JSON text; null when the signal had no payload. */
  readonly payload: string | null
  readonly call?: AnsweredCall | undefined
  readonly calls?: readonly DecidedCall[] | undefined
  readonly by: Actor
  /** Equal for two answers that count together. */
  readonly answerHash: Buffer
  /** One person is enough for it. */
  readonly isNo: boolean
  /** The wait has rules, so others may have to decide, too. */
  readonly mayBeCounted: boolean
}

/** A memory item that is saved with the change, with the labels of the run. */
export interface NewMemory {
  readonly id: string
  readonly kind: MemoryKind
  /** Written by the service itself, not by an agent. */
  readonly harness: boolean
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
}

/** What a turn keeps beside its messages. */
export type TurnBody = Pick<
  Turn,
  | 'try'
  | 'model'
  | 'prompt_version'
  | 'tools'
  | 'parameters'
  | 'output_schema'
  | 'outcome'
  | 'usage'
  | 'first_token_ms'
  | 'duration_ms'
  | 'truncated'
> & {
  /** What the system message said in addition to that in the messages. It is kept apart for replays. */
  readonly added_to_system?: string
  /** `echo` is provider data that later turns send back. It is kept for replays, and not shown. */
  readonly reply: (TurnReply & { readonly echo?: unknown }) | null
  /** `retry` says what may help, as in a model's failure. */
  readonly failure: (NonNullable<Turn['failure']> & { readonly retry: 'call' | 'step' | 'never' }) | null
}

/** A call to a model. */
export interface NewTurn {
  /** The claim that made the call. */
  readonly epoch: number
  readonly attempt: number
  readonly taskKey: string
  readonly callKey: string
  readonly role: TurnRole
  /** How long before the run's deadline the call started. */
  readonly leftMs: number
  /** How many messages at the beginning are those of the turn before it, of the same claim, task and role. */
  readonly shared: number
  /** The other messages. */
  readonly messages: readonly TurnMessage[]
  readonly body: TurnBody
  /** Bytes of the whole turn, with its shared messages. */
  readonly size: number
}

/** A time that must have passed when the row is locked, by the database's clock. */
export type TimeGuard = 'lease_expired' | 'step_expired' | 'wait_expired' | 'deadline_passed'

export interface RunChange {
  readonly runId: string
  readonly customerId: string
  /** The epoch of the worker's claim, which must still be the run's; null when the writer is not a worker. */
  readonly epoch: number | null
  /**
   * The worker of that claim, which must still hold the run. The epoch alone is not enough after a fail-over that lost
   * a claim: the next claim has the same epoch.
   */
  readonly workerId?: string | undefined
  /**
   * What happens to the run. The state table says in which states it may happen, which state follows, and whether the
   * epoch rises, after which writes of the current worker are refused. A trigger with a target sets every column that
   * belongs to the state from the three fields below; those left out are cleared.
   */
  readonly trigger: RunTrigger
  /** The run can be claimed after this time; left out: it cannot be claimed. */
  readonly readyInMs?: number
  /** Only with the state `running`, and not together with `readyInMs`. */
  readonly lease?: { readonly workerId: string; readonly ms: number }
  /** Only with the state `awaiting_input`. The last event of the change is the one that begins the wait. */
  readonly wait?: NewWait
  /** Adds 1 to the attempt. The events of the change belong to the new attempt. */
  readonly startsAttempt?: boolean
  /** Sets the count of recoveries to 0, and that of lost workers. */
  readonly resetsRecoveries?: boolean
  /** With `resetsRecoveries`: the count of lost workers stays. */
  readonly keepsLostWorkers?: boolean
  /** Its worker vanished: adds 1 to the workers that it has lost. */
  readonly losesWorker?: boolean
  /** Its worker executes nothing else. */
  readonly isAlone?: boolean
  readonly guard?: TimeGuard
  /** The run must be in the wait that this event began. */
  readonly awaitSeq?: number
  /** The request that events of the run name from now on; left out: it stays. */
  readonly requestId?: string
  /** Is added to the tokens of the run. */
  readonly tokens?: number
  readonly events?: readonly NewEvent[]
  readonly usage?: readonly NewUsage[]
  /** Keys are unique in the run. An entry whose key exists is skipped. */
  readonly journal?: readonly { readonly key: string; readonly body: unknown }[]
  readonly turns?: readonly NewTurn[]
  readonly signal?: NewSignal
  /** Left out: the service changes the run by itself. */
  readonly act?: RunAct
  readonly memory?: NewMemory
  readonly result?: { readonly redacted: boolean; readonly value: unknown }
}

export type Refusal =
  /** The customer has no such run. */
  | 'missing'
  /** The customer is being moved to another cell. */
  | 'moving'
  /** The epoch or the worker differs. */
  | 'lease_lost'
  /** The state is not in `from`. */
  | 'wrong_state'
  /** The run is in another wait than `awaitSeq`. */
  | 'other_wait'
  /** The wait needs another role. */
  | 'not_approver'
  /** Who created the run may not decide about the wait. */
  | 'requester'
  /** Too many answers were counted for this wait. */
  | 'too_many'
  /** The time that `guard` names has not passed. */
  | 'too_early'
  /** A unique key of the change exists already. */
  | 'duplicate'

export interface Applied {
  readonly outcome: 'applied'
  /** The state before the change. */
  readonly was: RunState
  /** The epoch after the change. */
  readonly epoch: number
  /** The seq of the first event of the change, or of the next event if it has none. */
  readonly firstSeq: number
  /** The time of its events. */
  readonly at: Date
  /** Its batch wrote messages to webhooks. Left out: it did not, as far as this process knows. */
  readonly hasDeliveries?: boolean
}

export interface Refused {
  readonly outcome: Refusal
  /** The state of the run; undefined for `missing` and `duplicate`. */
  readonly was: RunState | undefined
}

/** The answer counts, and others have to give it, too. The run goes on waiting. */
export interface Counted {
  readonly outcome: 'counted'
  readonly was: RunState | undefined
}

export type ChangeOutcome = Applied | Counted | Refused

/** An event as it is stored. The payload is JSON text, ready to be sent. */
export interface StoredEvent {
  readonly seq: number
  readonly type: EventType
  readonly at: Date
  readonly redacted: boolean
  readonly payload: string
}
