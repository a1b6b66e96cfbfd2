// What a run asks, in one line: the list of questions, the record of answers and notifications show no more.
import { type AwaitingInput, eventReasons, isEventReason, visibleText } from '@runwright/contract'
import { readable } from '../parts/values/readable.ts'

export type QuestionFields = Pick<
  AwaitingInput,
  | 'reason_code'
  | 'prompt'
  | 'tool'
  | 'arguments'
  | 'arguments_hash'
  | 'why'
  | 'has_read'
  | 'tool_call_id'
  | 'idempotency_key'
>

/** Whether the run asks how a call ended, and not whether to make it. */
export const isAboutOutcome = (reasonCode: string): boolean => reasonCode === 'tool_outcome_unknown'

/** The question about a tool call repeats its arguments and the reason, which the page shows in their own places. */
export const questionText = ({ prompt, reason_code, tool, arguments: given }: QuestionFields): string => {
  if (isAboutOutcome(reason_code) && prompt !== null) return visibleText(prompt)
  if (tool !== null && given !== null && given !== undefined) return `Call ${visibleText(tool)}?`
  if (prompt !== null) return visibleText(prompt)
  return isEventReason(reason_code) ? eventReasons[reason_code] : `The run asks: ${visibleText(readable(reason_code))}`
}
