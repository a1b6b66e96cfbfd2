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

/** The events that chats can show: that a run awaits input, what was answered, and how runs end. */
export const chatEvents = [
  'run.awaiting_input',
  'run.signal_applied',
  'run.input_received',
  'run.worker.succeeded',
  'run.worker.failed',
  'run.cancelled',
  'run.limit_exceeded',
] as const satisfies readonly EventType[]

/** Without a list of its own, a chat is told the questions and the answers. */
export const defaultChatEvents = [
  'run.awaiting_input',
  'run.signal_applied',
  'run.input_received',
] as const satisfies readonly EventType[]
