// What the page shows of a run, computed from its events.
import type { RunEvent } from '@runwright/client'

export interface RunView {
  readonly status: 'working' | 'awaiting_input' | 'succeeded' | 'failed' | 'cancelled'
  /** The text of the model so far. */
  readonly text: string
  readonly tools: readonly string[]
  /** The number of the event that asked, which the answer must name. */
  readonly waitSeq: number | undefined
}

export const emptyView: RunView = { status: 'working', text: '', tools: [], waitSeq: undefined }

export function applyEvent(view: RunView, event: RunEvent): RunView {
  switch (event.type) {
    case 'step.progress':
      return { ...view, text: view.text + (event.payload.value.content_delta ?? '') }
    case 'step.done':
      return { ...view, text: `${view.text}\n` }
    case 'run.tool.invoked':
      return { ...view, tools: [...view.tools, event.payload.value.tool_name] }
    case 'run.awaiting_input':
      return { ...view, status: 'awaiting_input', waitSeq: event.seq }
    case 'run.signal_applied':
    case 'run.input_received':
      return { ...view, status: 'working', waitSeq: undefined }
    case 'run.worker.succeeded':
      return { ...view, status: 'succeeded' }
    case 'run.worker.failed':
    case 'run.limit_exceeded':
      return { ...view, status: 'failed', waitSeq: undefined }
    case 'run.cancelled':
      return { ...view, status: 'cancelled', waitSeq: undefined }
    default:
      return view
  }
}

export const hasEnded = ({ status }: RunView): boolean => status !== 'working' && status !== 'awaiting_input'
