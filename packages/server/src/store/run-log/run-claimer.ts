// Claims ready runs and suspects for a worker, looks who waits for one, renews its leases, and gives back runs that it
// holds without executing them.
import type { RunClass } from '@runwright/contract'
import { journalVersion } from '../../domain/run/journal.ts'
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { type RunContent, type StoredContent, withContent } from '../sealed/content.ts'
import type { SealingKeys } from '../sealed/sealing-keys.ts'
import { claimStatement, suspectStatement } from './claim-statement.ts'
import { EmptyQueueHorizon } from './empty-queue-horizon.ts'
import { customersPerVisit } from './ready-customers.ts'
import { type Renewal, type RenewedLease, type RenewedRow, renewalValues, renewStatement } from './renewal.ts'
import type { StoredEvent } from './run-change.ts'
import type { Announce, Committed } from './run-log.ts'
import { waitingStatement } from './waiting-statement.ts'

/**
 * Slots for one class of runs. Customers that hold equally many are served in order, starting after `afterCustomer`.
 */
export interface Lane {
  readonly runClass: RunClass
  readonly slots: number
  readonly afterCustomer: string
}

/** The slots that a customer holds in this process: those that count against the limit of each lane. */
export interface Holding {
  readonly customerId: string
  readonly inLane: Readonly<Record<RunClass, number>>
}

export interface Claim {
  readonly runs: readonly ClaimedRun[]
  /** The lanes that got runs. */
  readonly lanes: ReadonlyMap<RunClass, ServedLane>
}

interface ServedLane {
  /** The customer that was served last. The next claim starts after it. */
  readonly lastCustomer: string
  /** A customer may have more ready runs than its share. */
  readonly hasMore: boolean
}

/** A customer with ready runs. `runs` counts up to an equal share of the lane's slots. */
export interface WaitingCustomer {
  readonly runClass: RunClass
  readonly customerId: string
  readonly runs: number
}

export interface ClaimedRun extends RunContent {
  readonly id: string
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly epoch: number
  readonly workerId?: string
  readonly attempt: number
  readonly tokens: number
  readonly recoveries: number
  /** How many workers vanished while they executed it, since it last finished a step. */
  readonly lostWorkers: number
  readonly requestId: string
  /** The state before the claim. */
  readonly was: RunState
  /** Claimed for the first time: it has no journal yet. */
  readonly isFresh: boolean
  /** Time left until its duration limit. */
  readonly remainingMs: number
  readonly routing: { readonly first_role: 'planner' | 'worker' }
  readonly attachmentRefs: readonly string[] | undefined
  readonly streaming: boolean
  readonly tokenLimit: number
  readonly durationSeconds: number
  readonly signalTimeoutSeconds: number
  /** The trace of the client that created it. */
  readonly traceparent?: string | undefined
}

const answerMs = 5_000

/** From how many lost workers on a run is kept apart from others. */
export interface SuspectRule {
  /** Such a run is a suspect: a worker executes one at a time. */
  readonly suspectFrom: number
  /** Such a run is executed alone. */
  readonly aloneFrom: number
}

/** More workers than a run can lose. */
const never = 2 ** 31 - 1
export const noSuspects: SuspectRule = { suspectFrom: never, aloneFrom: never }

interface ClaimerOptions {
  readonly workerId: string
  readonly leaseMs: number
  readonly keys: SealingKeys
  /** The newest version of a journal that the worker can read. Default: `journalVersion`. */
  readonly readable?: number
  /** Default: no run is kept apart. */
  readonly suspects?: SuspectRule
  /** Default: that of the process. */
  readonly clock?: () => number
}

export class RunClaimer {
  readonly #database: Database
  readonly #announce: Announce
  readonly #workerId: string
  readonly #leaseMs: number
  readonly #keys: SealingKeys
  readonly #readable: number
  readonly #suspects: SuspectRule
  readonly #clock: () => number
  readonly #emptyQueueHorizon = new EmptyQueueHorizon()

  constructor(database: Database, announce: Announce, { workerId, leaseMs, keys, ...more }: ClaimerOptions) {
    this.#clock = more.clock ?? (() => performance.now())
    this.#readable = more.readable ?? journalVersion
    this.#suspects = more.suspects ?? noSuspects
    this.#keys = keys
    this.#database = database
    this.#announce = announce
    this.#workerId = workerId
    this.#leaseMs = leaseMs
  }

  /** At most `atMost` runs over all lanes, first for the customers that hold the fewest slots. */
  async claim(lanes: readonly Lane[], atMost: number, held: readonly Holding[] = []): Promise<Claim> {
    const sentAt = this.#clock()
    const lookBacks = this.#lookBacks(lanes, sentAt)
    const rows = await this.#database.run<ClaimedRow>({
      name: 'claim-runs',
      text: claimStatement,
      values: [
        ...laneValues(lanes),
        this.#workerId,
        this.#leaseMs,
        atMost,
        held.map(({ customerId }) => customerId),
        ...(['short', 'default', 'long'] as const).map((lane) => held.map(({ inLane }) => inLane[lane])),
        lookBacks,
        this.#readable,
        this.#suspects.suspectFrom,
      ],
    })
    const served = servedLanes(rows)
    for (const [index, { runClass, slots }] of lanes.entries()) {
      const count = rows.filter((row) => row.run_class === runClass).length
      const isEmpty = rows.length < atMost && count < slots && !served.get(runClass)?.hasMore
      if (isEmpty) this.#emptyQueueHorizon.found(runClass, sentAt, lookBacks[index] ?? null)
    }
    return { runs: await this.#open(rows), lanes: served }
  }

  /**
   * One suspect, if there is one. One that must be alone only if it has been ready for so long: a worker that executes
   * other runs leaves it to an idle one for a while.
   */
  async claimSuspect(aloneAfterMs: number): Promise<ClaimedRun | undefined> {
    const { suspectFrom, aloneFrom } = this.#suspects
    const rows = await this.#database.run<ClaimedRow>({
      name: 'claim-suspect',
      text: suspectStatement,
      values: [this.#workerId, this.#leaseMs, this.#readable, suspectFrom, aloneFrom, aloneAfterMs],
    })
    const [run] = await this.#open(rows)
    return run
  }

  async #open(rows: readonly ClaimedRow[]): Promise<ClaimedRun[]> {
    this.#announce(rows.map(committedClaim))
    // A key that is not available fails only the runs that need it, when their content is opened.
    await this.#keys.ensure(rows.map((row) => row.sealed_key ?? 0)).catch(() => undefined)
    return rows.map((row) => withContent({ ...toClaimedRun(row), workerId: this.#workerId }, row, this.#keys.keyring))
  }

  /** Who has ready runs in these lanes. Locks and claims nothing. */
  async findWaiting(lanes: readonly Lane[]): Promise<WaitingCustomer[]> {
    const rows = await this.#database.run<{ run_class: RunClass; customer_id: string; runs: number }>({
      name: 'find-waiting-customers',
      text: waitingStatement,
      values: [...laneValues(lanes), this.#lookBacks(lanes, this.#clock()), this.#readable, this.#suspects.suspectFrom],
    })
    return rows.map(({ run_class, customer_id, runs }) => ({ runClass: run_class, customerId: customer_id, runs }))
  }

  #lookBacks(lanes: readonly Lane[], now: number): (number | null)[] {
    return lanes.map(({ runClass }) => this.#emptyQueueHorizon.lookBackMs(runClass, now))
  }

  /** Whether the database answers. */
  async isReachable(): Promise<boolean> {
    const answer = this.#database.run({ text: 'select 1', timeoutMs: answerMs })
    return answer.then(
      () => true,
      () => false,
    )
  }

  /** Renews the leases of these runs. Returns the ids of those that this worker still holds. */
  async renew(runs: readonly Renewal[]): Promise<Map<string, RenewedLease>> {
    const rows = await this.#database.run<RenewedRow>({
      name: 'renew-leases',
      // On a connection that has died, an early end leaves time for another try.
      timeoutMs: answerMs,
      text: renewStatement,
      values: renewalValues(runs, { workerId: this.#workerId, leaseMs: this.#leaseMs }),
    })
    return new Map(rows.map(({ id, leaving }) => [id, { isLeaving: leaving }]))
  }

  /** After a claim whose answer was lost: gives back the runs that this worker holds but does not execute. */
  async giveBackUnknown(known: readonly string[]): Promise<number> {
    const rows = await this.#database.query({
      text: `
update runs
set epoch = epoch + 1, worker_id = null, lease_until = null, ready_at = clock_timestamp()
where worker_id = $1::uuid and id <> all($2::uuid[])
returning id`,
      values: [this.#workerId, known],
    })
    return rows.length
  }
}

const laneValues = (lanes: readonly Lane[]): unknown[] => [
  lanes.map((lane) => lane.runClass),
  lanes.map((lane) => lane.slots),
  lanes.map((lane) => lane.afterCustomer),
  customersPerVisit,
]

function servedLanes(rows: readonly ClaimedRow[]): Map<RunClass, ServedLane> {
  const inOrder = rows.toSorted((a, b) => a.visit - b.visit)
  return new Map(
    inOrder.map((row) => [row.run_class, { lastCustomer: row.customer_id, hasMore: row.has_more }] as const),
  )
}

type ClaimedRow = StoredContent & {
  workspace_id: string | null
  subject_id: string | null
  run_class: RunClass
  epoch: number
  attempt: number
  tokens: number
  recoveries: number
  lost_workers: number
  request_id: string
  was: RunState
  first_seq: number
  at_ms: number
  remaining_ms: number
  routing: string
  attachment_refs: string | null
  streaming: boolean | null
  token_limit: number
  duration_seconds: number
  signal_timeout_seconds: number
  traceparent: string | null
  is_fork: boolean
  /** When its customer was visited, counted from 1. */
  visit: number
  has_more: boolean
  has_deliveries: boolean
}

const toClaimedRun = (row: ClaimedRow): Omit<ClaimedRun, keyof RunContent> => ({
  id: row.id,
  customerId: row.customer_id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  epoch: row.epoch,
  attempt: row.attempt,
  tokens: row.tokens,
  recoveries: row.recoveries,
  lostWorkers: row.lost_workers,
  requestId: row.request_id,
  was: row.was,
  isFresh: row.first_seq === 2 && !row.is_fork,
  remainingMs: row.remaining_ms,
  routing: JSON.parse(row.routing),
  attachmentRefs: row.attachment_refs === null ? undefined : JSON.parse(row.attachment_refs),
  streaming: row.streaming ?? true,
  tokenLimit: row.token_limit,
  durationSeconds: row.duration_seconds,
  signalTimeoutSeconds: row.signal_timeout_seconds,
  ...(row.traceparent !== null && { traceparent: row.traceparent }),
})

const committedClaim = (row: ClaimedRow): Committed => ({
  customerId: row.customer_id,
  runId: row.id,
  state: 'running',
  claimable: false,
  events: claimEvents(row),
  ...(row.has_deliveries && { hasDeliveries: true }),
})

function claimEvents({
  was,
  first_seq,
  at_ms,
  request_id,
}: Pick<ClaimedRow, 'was' | 'first_seq' | 'at_ms' | 'request_id'>): StoredEvent[] {
  if (was === 'running') return []
  const type = was === 'queued' ? 'run.worker.started' : 'run.resumed'
  const reason = was === 'queued' ? { reason_code: null } : {}
  const payload = JSON.stringify({ request_id, from_status: was, to_status: 'running', ...reason })
  return [{ seq: first_seq, type, at: new Date(at_ms), redacted: false, payload }]
}
