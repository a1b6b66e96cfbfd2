// The engine's names for the waits of a run. Answers are stored under them.
import type { TaskKey } from './journal.ts'

export const gateKey = (key: TaskKey): string => `gate:${key}`
export const approvalKey = (key: TaskKey): string => `approval:${key}`
/** A question after a step. */
export const afterKey = (key: TaskKey): string => `after:${key}`
/** An approval before a call, valid only for these arguments. */
export const askKey = (callId: string, argumentsHash: string): string => `ask:${callId}:${argumentsHash}`
/** A question whether a call took place; a new one each time the call is made. */
export const outcomeKey = (callId: string, times: number): string => `outcome:${callId}:${times}`
