// What can be asked of the run log: one change to one run, and what became of it.
import type { EventType, MemoryKind, SignalAction, UsageEventType } from '@runwright/contract'
import type { RunState, RunTrigger } from '../../domain/run/states.ts'

export interface NewEvent {
  readonly type: EventType
  /** `from_status` may be `statusOfLockedRow`: cancels, limits and time-outs do not know it before the row is locked. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly redacted?: boolean
  /** Ends the attempt; the schema allows one such event per attempt. */
  readonly terminal?: boolean
}

export interface NewUsage {
  /** One key per dispatch and run: what is written twice counts once. */
  readonly key: string
  readonly eventType: UsageEventType
  readonly quantity: number
  /** What the quantity is made of, such as cached tokens, and whether it is an estimate. */
  readonly details?: Readonly<Record<string, number | boolean>>
}

export interface NewWait {
  readonly reasonCode: string
  readonly inputKind: string | null
  readonly prompt: string | null
  readonly timeoutMs: number
  /** The engine's own name for it: the answer is kept under it. */
  readonly key: string
}

export interface NewSignal {
  readonly idempotencyKey: string | null
  readonly bodyHash: Buffer
  readonly action: SignalAction
  /** JSON text; null when the signal carried none. */
  readonly payload: string | null
}

/** What is remembered of the run for later ones. */
export interface NewMemory {
  readonly id: string
  readonly kind: MemoryKind
  /** Written by the service itself, not by an agent. */
  readonly harness: boolean
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
}

/** Something else than a state that must hold when the row is locked, by the database's clock. */
export type TimeGuard = 'lease_expired' | 'step_expired' | 'wait_expired' | 'deadline_passed'

export interface RunChange {
  readonly runId: string
  readonly customerId: string
  /** The fence of a worker's write; null: not a worker's. */
  readonly epoch: number | null
  /**
   * What happens to the run. The state table says in which states it may happen, which state follows, and whether the
   * epoch rises. A trigger with a target sets `ready_at`, lease and wait from the fields below and clears those left out.
   */
  readonly trigger: RunTrigger
  /** Claimable after so many ms; left out: not claimable. */
  readonly readyInMs?: number
  readonly lease?: { readonly workerId: string; readonly ms: number }
  readonly wait?: NewWait
  readonly startsAttempt?: boolean
  readonly resetsRecoveries?: boolean
  readonly guard?: TimeGuard
  /** Only the wait that this event began. */
  readonly awaitSeq?: number
  /** The request that sets the run going from here on. */
  readonly requestId?: string
  readonly tokens?: number
  readonly events?: readonly NewEvent[]
  readonly usage?: readonly NewUsage[]
  readonly journal?: readonly { readonly key: string; readonly body: unknown }[]
  readonly signal?: NewSignal
  readonly memory?: NewMemory
  readonly result?: { readonly redacted: boolean; readonly value: unknown }
}

export type Refusal =
  | 'missing'
  | 'lease_lost'
  | 'wrong_state'
  | 'other_wait'
  | 'too_early'
  /** A unique key of the change itself was there already. */
  | 'duplicate'

export interface Applied {
  readonly outcome: 'applied'
  readonly was: RunState
  readonly epoch: number
  readonly firstSeq: number
  readonly at: Date
}

export interface Refused {
  readonly outcome: Refusal
  /** The state that refused it; undefined when the run is missing. */
  readonly was: RunState | undefined
}

export type ChangeOutcome = Applied | Refused

/** An event as the log stored it; the payload is JSON text, ready to be sent. */
export interface StoredEvent {
  readonly seq: number
  readonly type: EventType
  readonly at: Date
  readonly redacted: boolean
  readonly payload: string
}
