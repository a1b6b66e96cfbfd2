// The rows of the event log: one per event, except that consecutive text of a step is one row.
import type { RunEvent } from '@runwright/client'

export interface EventRow {
  readonly events: readonly [RunEvent, ...RunEvent[]]
  /** What happened, in terms of the protocol. */
  readonly summary: string
  /** The text of the agent, if the event contains any. */
  readonly text: string | undefined
}

const joined = (...parts: (string | number | null | undefined)[]) =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(' · ')

const summaryOf = (event: RunEvent): string => {
  switch (event.type) {
    case 'run.created':
      return joined(event.payload.value.routing?.first_role, event.payload.value.routing?.reason)
    case 'run.worker.started':
    case 'run.worker.succeeded':
    case 'run.worker.failed':
    case 'run.worker.stalled':
    case 'run.worker.retry_scheduled':
    case 'run.cancelled': {
      const { from_status, to_status, reason_code } = event.payload.value
      return joined(`${from_status} → ${to_status}`, reason_code)
    }
    case 'run.resumed':
      return `${event.payload.value.from_status} → ${event.payload.value.to_status}`
    case 'run.limit_exceeded': {
      const { limitType, currentValue, threshold, unit } = event.payload.value
      return joined(limitType, `${currentValue} of ${threshold} ${unit}`)
    }
    case 'step.progress':
      return joined(event.payload.value.kind, event.payload.value.tool_name)
    case 'step.done':
      return joined(
        event.payload.value.outcome,
        event.payload.value.reason_code,
        event.payload.value.provider_error_message,
      )
    case 'run.tool.invoked': {
      const { tool_name, tool_outcome, policy_reason_code, duration_ms } = event.payload.value
      return joined(tool_name, tool_outcome, policy_reason_code, `${duration_ms} ms`)
    }
    case 'run.coordination.decision': {
      const { role, decision_type, reason_code } = event.payload.value
      return joined(role, decision_type, reason_code)
    }
    case 'run.awaiting_input':
      return joined(event.payload.value.input_kind, event.payload.value.reason_code)
    case 'run.signal_applied':
    case 'run.input_received':
      return event.payload.value.action
    default:
      // An unknown event of a newer service: its payload is still shown.
      return ''
  }
}

const textOf = (event: RunEvent): string | undefined => {
  if (event.type === 'step.progress') return event.payload.value.content_delta
  return event.type === 'step.done' ? event.payload.value.content : undefined
}

const isDelta = (event: RunEvent) => event.type === 'step.progress' && event.payload.value.kind === 'content_delta'

const taskOf = (event: RunEvent) => (event.type === 'step.progress' ? event.payload.value.task_id : undefined)

/** Whether the event continues the text of the same step. */
const continues = (last: RunEvent | undefined, event: RunEvent) =>
  last !== undefined && isDelta(last) && isDelta(event) && taskOf(last) === taskOf(event)

const rowOf = (events: EventRow['events']): EventRow => {
  const texts = events.map(textOf).filter((text) => text !== undefined)
  return { events, summary: summaryOf(events[0]), text: texts.length > 0 ? texts.join('') : undefined }
}

export const eventRows = (events: readonly RunEvent[]): EventRow[] => {
  const groups: [RunEvent, ...RunEvent[]][] = []
  for (const event of events) {
    const group = groups.at(-1)
    if (group && continues(group.at(-1), event)) group.push(event)
    else groups.push([event])
  }
  return groups.map(rowOf)
}
