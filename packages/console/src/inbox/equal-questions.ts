// Which questions may be answered together: they ask for the same tool, for the same reason, of the same people, with
// arguments of the same shape, and their runs have read the same kinds of data. The values may differ: each question
// shows its own.
import type { AwaitingInput } from '@runwright/contract'
import { isAboutOutcome } from '../answer/question-text.ts'
import type { WaitingRun } from './waiting-runs.ts'

/** More decisions than these cannot be looked through in the time to undo. */
export const mostTogether = 20

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** An approval or a denial answers it completely. One that wants a new sign-in wants a look of its own, too. */
const isYesOrNo = (wait: AwaitingInput): boolean => {
  const { tool, arguments_hash, reason_code, input_kind, approval_schema, calls, reauth } = wait
  return (
    tool !== null &&
    arguments_hash !== null &&
    !isAboutOutcome(reason_code) &&
    input_kind !== 'payload' &&
    input_kind !== 'rejection' &&
    (approval_schema ?? null) === null &&
    (calls ?? []).length < 2 &&
    !reauth
  )
}

const shapeOf = (wait: AwaitingInput): string => {
  const { tool, reason_code, input_kind, why, has_read, arguments: given } = wait
  const { approvers, approvals, not_requester, escalate_to } = wait
  const fields = Object.entries(given ?? {}).map(([name, value]) => [name, kindOf(value)])
  return JSON.stringify([
    tool,
    reason_code,
    input_kind,
    why,
    has_read?.toSorted(),
    approvers?.toSorted(),
    approvals,
    not_requester,
    escalate_to?.toSorted(),
    kindOf(given),
    fields.map((field) => JSON.stringify(field)).toSorted(),
  ])
}

/** The question itself and those like it, in their order; none if it stands alone. */
export const equalQuestions = (run: WaitingRun, waiting: readonly WaitingRun[]): readonly WaitingRun[] => {
  const { awaiting_input: asked } = run
  if (!isYesOrNo(asked)) return []
  const shape = shapeOf(asked)
  const equal = waiting.filter(
    ({ awaiting_input: wait }) => wait.tool === asked.tool && isYesOrNo(wait) && shapeOf(wait) === shape,
  )
  return equal.length > 1 ? equal : []
}
