// One line in the log for each turn in the life of a run, so that `grep run_…` tells its story. It reads what this
// process commits: no statement is sent for it, and the many changes of a run that only progresses cost nothing.
import { type EventType, isEventReason } from '@runwright/contract'
import type { EngineObserver } from '../engine/context/observer.ts'
import { timeOfUuid, toWireId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/logger.ts'
import { runLink } from '../runtime/settings/public-url.ts'
import type { StoredEvent } from '../store/run-log/run-change.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import { traceIdOf } from './traces/span-ids.ts'

type Payload = Readonly<Record<string, unknown>>

interface Line {
  /** A person should look at the run. */
  readonly isForPeople: boolean
  readonly message: string
  readonly level: 'info' | 'warn'
  readonly reason: (payload: Payload) => unknown
}

const line = (message: string, reason: Line['reason'], level: Line['level'] = 'info'): Line => ({
  isForPeople: message === 'run awaits input' || message === 'run failed',
  message,
  level,
  reason,
})

/** A reason code that is not ours is a text of the client. */
const reasonCode = ({ reason_code: code }: Payload) => (isEventReason(code) ? code : 'other')
const requested = () => 'requested'
const action = (payload: Payload) => payload.action

/** Claims have lines of their own. */
const lines: Readonly<Partial<Record<EventType, Line>>> = {
  'run.awaiting_input': line('run awaits input', reasonCode),
  'run.signal_applied': line('signal applied', action),
  'run.input_received': line('signal applied', action),
  'run.worker.stalled': line('run stalled', reasonCode, 'warn'),
  'run.worker.succeeded': line('run succeeded', () => 'all_done'),
  'run.worker.failed': line('run failed', reasonCode, 'warn'),
  'run.limit_exceeded': line('run failed', ({ limitType }) => limitType, 'warn'),
  'run.cancelled': line('run cancelled', (payload) => (payload.reason_code ? reasonCode(payload) : 'requested')),
  'run.worker.retry_scheduled': line('run retried', requested),
}
const resumed = line('run resumed', requested)

interface RunLinesOptions {
  readonly logger: Pick<Logger, 'info' | 'warn' | 'isLevelEnabled'>
  /** Whether the service writes traces. */
  readonly isTraced: boolean
  /** Where people reach the console, for links to runs that need one. */
  readonly publicUrl?: string | undefined
}

/** What is known of a run that this process executes. */
interface Held {
  readonly epoch: number
  readonly claimedAt: number
  readonly fields: Payload
}

export class RunLines {
  readonly #options: RunLinesOptions
  readonly #held = new Map<string, Held>()

  constructor(options: RunLinesOptions) {
    this.#options = options
  }

  readonly observer: EngineObserver = {
    claimed: (runs) => {
      if (this.#isOn) for (const run of runs) this.#noteClaim(run)
    },
    executionEnded: (run) => this.#noteLoss(run),
  }

  note(committed: readonly Committed[]): void {
    if (!this.#isOn) return
    // Without a state, the run goes on as before.
    for (const change of committed) if (change.state !== undefined) this.#noteChange(change)
  }

  get #isOn(): boolean {
    return this.#options.logger.isLevelEnabled('warn')
  }

  #noteClaim(run: ClaimedRun): void {
    const { id, customerId, requestId, workerId, epoch, was } = run
    const fields = {
      run_id: toWireId('run', id),
      customer_id: customerId,
      request_id: requestId,
      ...(this.#options.isTraced && { trace_id: traceIdOf(run) }),
      worker: workerId,
    }
    this.#held.set(id, { epoch, claimedAt: performance.now(), fields })
    const age_ms = Math.round(run.durationSeconds * 1000 - run.remainingMs)
    const message = was === 'stalled' ? 'run recovered' : 'run claimed'
    this.#options.logger.info({ ...fields, reason: was, age_ms }, message)
  }

  #noteChange(change: Committed): void {
    const { runId, state, readyInMs, events } = change
    const held = this.#held.get(runId)
    for (const event of events) this.#noteEvent(change, event, held)
    if (state !== 'running') this.#held.delete(runId)
    else if (held && readyInMs !== undefined) this.#release(runId, held, readyInMs > 0 ? 'parked' : 'handed_over')
  }

  #noteEvent({ runId, customerId }: Committed, { type, at, payload }: StoredEvent, held: Held | undefined): void {
    const isCommand = type === 'run.resumed' && payload.includes('"to_status":"queued"')
    const found = isCommand ? resumed : lines[type]
    if (!found || !this.#options.logger.isLevelEnabled(found.level)) return
    const value = JSON.parse(payload) as Payload
    const { publicUrl } = this.#options
    const fields = {
      ...(held?.fields ?? { run_id: toWireId('run', runId), customer_id: customerId, request_id: value.request_id }),
      reason: found.reason(value),
      ...(typeof value.input_kind === 'string' && { input_kind: value.input_kind }),
      ...(found.isForPeople && publicUrl !== undefined && { url: runLink(publicUrl, toWireId('run', runId)) }),
      ...(held && { duration_ms: msSince(held) }),
      age_ms: Math.max(0, at.getTime() - timeOfUuid(runId)),
    }
    this.#options.logger[found.level](fields, found.message)
  }

  /** The run goes on elsewhere, or later. */
  #release(runId: string, held: Held, reason: string): void {
    this.#held.delete(runId)
    this.#options.logger.info({ ...held.fields, reason, duration_ms: msSince(held) }, 'run released')
  }

  /** This process has committed nothing that ended its execution. */
  #noteLoss({ id, epoch }: ClaimedRun): void {
    const held = this.#held.get(id)
    if (held?.epoch === epoch) this.#release(id, held, 'lost')
  }
}

const msSince = ({ claimedAt }: Held): number => Math.round(performance.now() - claimedAt)
