// Looks at a step before a person is asked to approve it: a step that cannot be executed needs no approval.
import { describeUnresolved, fillTemplates } from '../../domain/plan/fill-templates.ts'
import { templatedPart } from '../../domain/plan/plan.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { prepareCall } from '../calls/prepared-call.ts'
import { refusedInput } from '../calls/refused-input.ts'
import { stepCall } from '../calls/step-call.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { mayPlanAgain } from './replan-step.ts'
import type { TaskFailed } from './task-end.ts'
import { failed, misplanned } from './tool-task.ts'

const ofSignal = /^\{\{\s{0,20}signal\b/

/** How the step fails without a question. Undefined: the person is asked. */
export async function failBeforeWait(context: ExecutionContext, task: Task): Promise<TaskFailed | undefined> {
  const { step, key } = task
  const filled = fillTemplates(templatedPart(step), { ...context.inputs.templateScope(), signal: undefined })
  if (!filled.ok) {
    // The payload of the answer may be part of the step.
    if (ofSignal.test(filled.unresolved) || !mayPlanAgain(context, task)) return undefined
    return misplanned(task, 'template_unresolved', `${describeUnresolved(filled)}.`)
  }
  if (step.kind !== 'tool') return undefined
  const call = await runSliced(stepCall(context, { key, step, input: filled.value }))
  const refused = await refusedInput(context, prepareCall(context, call, undefined))
  if (refused === undefined) return undefined
  return mayPlanAgain(context, task)
    ? misplanned(task, 'tool_failed', refused)
    : failed(task, 'tool_failed', { message: refused, retryable: false })
}
