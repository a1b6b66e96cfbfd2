// A run as a register machine: the state after each change of its log, and which changes only a client can cause.
import type { Ask, LogEntry, SignalAction } from './history.ts'

export interface RunView {
  readonly status: string
  /** The wait that can be answered, by its number. */
  readonly awaitSeq: number | null
  /** How many events there are. */
  readonly length: number
}

/** A change of a run: what one transaction wrote. */
export interface Step {
  readonly events: readonly LogEntry[]
  /** What a client must have asked for, if a client caused it. */
  readonly cause: Cause | undefined
  readonly after: RunView
}

export type Cause = { readonly kind: 'create' | 'cancel' | 'retry' | 'resume' } | SignalCause
interface SignalCause {
  readonly kind: 'signal'
  readonly action: SignalAction
  readonly awaitSeq: number
}

export const beforeAll: RunView = { status: 'none', awaitSeq: null, length: 0 }
const terminal = ['succeeded', 'failed', 'cancelled']
export const isTerminal = ({ status }: RunView): boolean => terminal.includes(status)

/** From which statuses an event may come; the status after it stands in its payload. */
const allowedFrom: Readonly<Record<string, readonly string[]>> = {
  'run.created': ['none'],
  'run.worker.started': ['queued'],
  'run.worker.succeeded': ['running'],
  'run.worker.failed': ['running'],
  'run.worker.stalled': ['running'],
  'run.worker.retry_scheduled': ['failed'],
  'run.resumed': ['stalled'],
  'run.cancelled': ['queued', 'running', 'stalled'],
  'run.limit_exceeded': ['queued', 'running', 'stalled'],
}

/** What one event does to the view. Throws where the machine has no such move. */
function apply(view: RunView, event: LogEntry): RunView {
  const { type, seq, payload } = event
  if (seq !== view.length + 1) throw new Error(`event ${seq} comes after ${view.length}`)
  const from = allowedFrom[type] ?? ['running']
  if (!from.includes(view.status)) throw new Error(`event ${seq} ${type} comes while the run is ${view.status}`)
  const isAnswer = type === 'run.signal_applied' || type === 'run.input_received'
  if (isAnswer && view.awaitSeq === null) throw new Error(`event ${seq} ${type} answers no wait`)
  const status = statusAfter(view, type, payload)
  const staysOpen = status === 'running' && !isAnswer && type !== 'run.coordination.decision'
  const awaitSeq = type === 'run.awaiting_input' ? seq : staysOpen ? view.awaitSeq : null
  return { status, awaitSeq, length: seq }
}

function statusAfter(view: RunView, type: string, payload: LogEntry['payload']): string {
  if (type === 'run.created') return 'queued'
  if (type === 'run.limit_exceeded') return 'failed'
  return allowedFrom[type] ? String(payload.to_status) : view.status
}

/** Cuts the log into changes. Throws where the log itself breaks the machine. */
export function stepsOf(log: readonly LogEntry[]): Step[] {
  const steps: Step[] = []
  let before = beforeAll
  for (const events of changesOf(log)) {
    const after = events.reduce(apply, before)
    steps.push({ events, cause: causeOf(events, before), after })
    before = after
  }
  return steps
}

function changesOf(log: readonly LogEntry[]): LogEntry[][] {
  const changes: LogEntry[][] = []
  for (const event of log) {
    const last = changes.at(-1)
    if (last?.[0]?.change === event.change) last.push(event)
    else changes.push([event])
  }
  return changes
}

function causeOf(events: readonly LogEntry[], { awaitSeq }: RunView): Cause | undefined {
  const [first] = events
  const kind = first && causes[first.type]?.(first.payload)
  if (kind !== 'signal') return kind && { kind }
  const action = first?.payload.action as SignalAction
  return { kind, action, awaitSeq: awaitSeq ?? 0 }
}

/** A timeout cancels and a worker resumes without a client. */
const causes: Readonly<Record<string, (payload: LogEntry['payload']) => Cause['kind'] | undefined>> = {
  'run.created': () => 'create',
  'run.signal_applied': () => 'signal',
  'run.input_received': () => 'signal',
  'run.worker.retry_scheduled': () => 'retry',
  'run.cancelled': ({ reason_code }) => (reason_code === 'signal_timeout' ? undefined : 'cancel'),
  'run.resumed': ({ to_status }) => (to_status === 'queued' ? 'resume' : undefined),
}

export function isCausedBy(cause: Cause, ask: Ask): boolean {
  if (cause.kind !== 'signal' || ask.kind !== 'signal') return cause.kind === ask.kind
  return cause.action === ask.action && cause.awaitSeq === ask.awaitSeq
}
