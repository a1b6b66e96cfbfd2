// The events that a webhook receives by default. Without zod, so that the console can use it.
import type { EventType } from './events.ts'

/** Without a list of its own, a webhook receives how runs end, and that they await input. */
export const defaultWebhookEvents = [
  'run.worker.succeeded',
  'run.worker.failed',
  'run.cancelled',
  'run.limit_exceeded',
  'run.awaiting_input',
] as const satisfies readonly EventType[]
