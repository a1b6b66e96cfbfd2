// The engine's names for what a run waits for; the answer of a person is kept under them.
import type { TaskKey } from './journal.ts'

export const gateKey = (key: TaskKey): string => `gate:${key}`
export const approvalKey = (key: TaskKey): string => `approval:${key}`
/** Asked after a step. */
export const afterKey = (key: TaskKey): string => `after:${key}`
/** Asked before a call is made; for these arguments and no others. */
export const askKey = (callId: string, argumentsHash: string): string => `ask:${callId}:${argumentsHash}`
/** Asked when it is not known whether a call took place; once more for each time it was made. */
export const outcomeKey = (callId: string, times: number): string => `outcome:${callId}:${times}`
