// The decisions of a run, read from its events: tool calls, ends of steps, verdicts, waits and the end. Parallel steps
// end in any order, so the order does not count.
import type { EventType } from '@runwright/contract'

export interface DecidedEvent {
  readonly type: EventType
  readonly payload: Readonly<Record<string, unknown>>
}

/** These depend on the provider, on time and on the API, which fails a rejected run. A replay has none of them. */
const skippedReasons: ReadonlySet<unknown> = new Set([
  'provider_retry',
  'tool_retry',
  'model_fallback',
  'tool_outcome_unknown',
  'signal_rejected',
])

const fieldsOf: Partial<Record<EventType, readonly string[]>> = {
  'step.done': ['task_id', 'outcome', 'reason_code', 'content'],
  'run.tool.invoked': ['tool_call_id', 'tool_name', 'tool_outcome'],
  'run.coordination.decision': ['role', 'decision_type', 'reason_code', 'judge_decision'],
  'run.awaiting_input': ['reason_code', 'input_kind'],
  'run.worker.succeeded': [],
  'run.worker.failed': ['reason_code'],
}

/** Each decision as one line. */
export function decisionsOf(events: readonly DecidedEvent[]): string[] {
  return events.flatMap(({ type, payload }) => {
    const fields = fieldsOf[type]
    if (!fields || skippedReasons.has(payload.reason_code)) return []
    const values = fields.map((field) => payload[field]).filter((value) => value !== undefined && value !== null)
    return [[type, ...values.map(textOf)].join(' ')]
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export interface DecisionDifference {
  /** Undefined: there is none. */
  readonly recorded: string | undefined
  readonly now: string | undefined
}

/** `isPartial`: the execution stopped before its end, so recorded decisions may be missing. */
export function compareDecisions(
  recorded: readonly string[],
  now: readonly string[],
  isPartial: boolean,
): DecisionDifference | undefined {
  const added = without(now, recorded)[0]
  const missing = without(recorded, now)[0]
  if (added !== undefined) return { recorded: missing, now: added }
  return isPartial || missing === undefined ? undefined : { recorded: missing, now: undefined }
}

/** The lines of `all` that `others` does not have, counting each line as often as it occurs. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return all.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}
