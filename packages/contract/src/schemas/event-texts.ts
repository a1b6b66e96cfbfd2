// What each type of event means, for the published schema and the docs.
import type { EventType } from './events.ts'

export const eventTexts: Readonly<Record<EventType, string>> = {
  'run.created': 'The run is stored. It is always the first event.',
  'run.worker.started': 'A worker started to execute the run.',
  'run.worker.succeeded': 'The run succeeded. `GET /v1/runs/{id}` has the result.',
  'run.worker.failed': 'The run failed. It can be retried. `?include=failure` has the message.',
  'run.worker.stalled':
    'The run lost its worker, or a step exceeded its timeout. It is recovered automatically, a limited number of times.',
  'run.worker.retry_scheduled': 'A failed run was retried. It is queued again and keeps its finished steps.',
  'run.cancelled': 'The run was cancelled, or no signal arrived in time.',
  'run.resumed': 'A stalled run continues, automatically or after `POST /v1/runs/{id}/resume`.',
  'run.limit_exceeded': 'The run reached its limit of tokens or of time. Its status is `failed`.',
  'step.progress': 'A step streamed a piece of text, or a tool call started or ended.',
  'step.done': 'An attempt of a step ended.',
  'run.tool.invoked': 'A tool call ended, or was denied.',
  'run.coordination.decision': 'The service or a role decided how the run goes on.',
  'run.awaiting_input':
    'The run waits for a signal. Its `seq` is the `await_seq` of the answer. `?include=awaiting_input` has the question.',
  'run.signal_applied': 'The run was approved or rejected.',
  'run.input_received': 'The run received input.',
}
