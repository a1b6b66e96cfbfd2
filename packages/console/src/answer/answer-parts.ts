// Which ways to answer a question has.
import type { AwaitingInput } from '@runwright/contract'
import { isAboutOutcome } from './question-text.ts'

/** A part of the answer that can be opened. */
export type DraftPart = 'reason' | 'deny' | 'arguments' | 'error' | 'result' | 'data' | 'calls'

/** Every answer that is not a no must have data that matches the schema of the question. */
export const needsData = ({ approval_schema }: Pick<AwaitingInput, 'approval_schema'>): boolean =>
  (approval_schema ?? null) !== null

/** The data is given with the approval, not instead of it. */
export const isApprovalWithData = (wait: Pick<AwaitingInput, 'input_kind' | 'approval_schema'>): boolean =>
  needsData(wait) && wait.input_kind !== 'payload'

/** An approval without data is not enough where the question wants some. */
export const hasApprove = (wait: AwaitingInput): boolean => wait.input_kind !== 'payload' && !needsData(wait)

const hasSeveralCalls = (wait: AwaitingInput) => (wait.calls ?? []).length > 1 && !needsData(wait)

/** What can be opened beside the rejection, which every question has. */
export const partsOf = (wait: AwaitingInput): readonly DraftPart[] => {
  const { tool, reason_code, arguments_hash } = wait
  const data = needsData(wait) ? (['data'] as const) : []
  if (isAboutOutcome(reason_code)) return [...data, 'error', 'result']
  if (tool === null) return ['data']
  return arguments_hash === null
    ? ['deny', 'data']
    : [...data, 'arguments', 'deny', 'result', ...(hasSeveralCalls(wait) ? (['calls'] as const) : [])]
}

/**
 * The data that a question is about is asked for at once. About a call that may have been made, nothing is open: the
 * person has to say first what became of it.
 */
export const partAtFirst = (wait: AwaitingInput): DraftPart | undefined => {
  if (isAboutOutcome(wait.reason_code)) return undefined
  if (wait.input_kind === 'payload' || needsData(wait)) return 'data'
  return wait.input_kind === 'rejection' ? 'reason' : undefined
}

const names: Readonly<Record<DraftPart, string>> = {
  arguments: 'Change the arguments',
  deny: 'Deny the call',
  result: 'Give its result',
  error: 'The call failed',
  data: 'Answer with data',
  calls: 'Decide about all calls',
  reason: 'Reject',
}

/** What the button that opens the part says. */
export const nameOf = (part: DraftPart, wait: Pick<AwaitingInput, 'input_kind' | 'approval_schema'>): string =>
  part === 'data' && isApprovalWithData(wait) ? 'Approve' : names[part]
