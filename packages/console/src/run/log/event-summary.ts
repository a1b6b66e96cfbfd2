// One line about an event, for the raw log.
import type { RunEvent } from '@runwright/client'

const joined = (...parts: (string | number | null | undefined)[]) =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(' · ')

/** In the words of the protocol. */
export const eventSummary = (event: RunEvent): string => {
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
      return joined(event.payload.value.kind, event.payload.value.tool_name, event.payload.value.content_delta)
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
