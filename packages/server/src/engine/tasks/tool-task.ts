// Executes a tool step: one call without a model. The tool's output is the step's output and, as JSON, its content.
import { describeUnresolved, fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import { findTemplate } from '../../domain/plan/template.ts'
import type { Answer } from '../../domain/run/answer-log.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { approvalKey } from '../../domain/run/wait-keys.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { PlannedAnswer } from '../calls/decided-call.ts'
import { prepareCall } from '../calls/prepared-call.ts'
import { refusedInput } from '../calls/refused-input.ts'
import { showInputs } from '../calls/secret-calls.ts'
import { earlierCallsOf, stepCall } from '../calls/step-call.ts'
import { makeCall } from '../calls/tool-calls.ts'
import { leftOpen } from '../calls/unknown-outcome.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { StepTime } from '../context/step-times.ts'
import { mayPlanAgain } from './replan-step.ts'
import type { TaskEnd, TaskFailed } from './task-end.ts'

export async function executeToolTask(
  context: ExecutionContext,
  task: Task,
  { step, time }: { readonly step: ResolvedToolStep; readonly time: StepTime },
): Promise<TaskEnd> {
  // The agent of the run bounds its tools, so no call is made without it.
  const { own, problem } = context.agents
  if (problem !== undefined) return failed(task, 'agent_unavailable', { message: problem, retryable: false })
  const { turns, answers } = context.ledger.progress
  const answer = answers.to(approvalKey(task.key))
  const filled = fillTemplates(step.input, context.inputs.templateScope())
  // What a person has decided about the call needs no input of the plan. Only an approval has its payload. A template
  // in edited arguments would reach the tool as text: such an answer is refused, and one of before is not followed.
  if (!filled.ok && (!answer?.call || findTemplate(answer.call.arguments) !== undefined))
    return misplanned(task, 'template_unresolved', `${describeUnresolved(filled)}.`)
  const input = filled.ok ? filled.value : step.input
  const unknown = context.catalogue.absence(step.tool)
  if (unknown?.kind === 'unknown')
    return failed(task, 'tool_unavailable', { message: unknown.message, retryable: false })
  await context.yieldToEventLoop()
  const call = await runSliced(stepCall(context, { key: task.key, step, input }))
  if (context.run.secrets) await runSliced(showInputs(context.run.secrets, [call]))
  const isNew = !turns.startedCalls.has(call.callId)
  const refused =
    isNew && filled.ok && mayPlanAgain(context, task)
      ? await refusedInput(context, prepareCall(context, call, undefined))
      : undefined
  if (refused !== undefined) return misplanned(task, 'tool_failed', refused)
  const earlier = earlierCallsOf(context, task.key)
  await context.yieldToEventLoop()
  const end = await makeCall(context, call, {
    step: context.stepOf(task.key),
    allowed: own?.tools && new Set(own.tools),
    begunBefore: new Set(turns.startedCalls.keys()),
    stepMsLeft: time.msLeft,
    needsTools: true,
    planned: plannedAnswer(answer),
    earlier,
    rules: step.approval,
  })
  if (end.outcome === 'unavailable') return failed(task, 'tool_unavailable', { message: end.message, retryable: false })
  if (end.outcome === 'person_asked') return { kind: 'person_asked', task, wait: end.wait }
  if (end.outcome === 'sleeps') return { kind: 'parked', task, dueAtMs: end.dueAtMs }
  const redacted = end.redacted === true
  if (end.outcome === 'succeeded') {
    return {
      kind: 'succeeded',
      task,
      content: JSON.stringify(end.output),
      output: end.output,
      redacted,
      rest: '',
      usage: [],
    }
  }
  if (end.outcome === 'policy_denied' && end.byPerson && mayPlanAgain(context, task))
    return { ...misplanned(task, 'tool_failed', end.message), redacted }
  // A `once` call that fails had no effect, unless a person says so: approving is the way to make it again.
  const isDenied = end.outcome === 'policy_denied'
  const isOpen = leftOpen(context.ledger.progress, [...earlier, call.callId]) !== undefined
  const retryable = !isDenied && end.byPerson !== true
  return {
    ...failed(task, 'tool_failed', { message: end.message, retryable }),
    redacted,
    ...(isDenied && !isOpen && answer?.call && { refusedCall: answer.asked?.call?.callId }),
  }
}

/** What a person decided about the call before the step. It counts for every attempt of the step that it allows. */
function plannedAnswer(answer: Answer | undefined): PlannedAnswer | undefined {
  if (!answer?.call) return undefined
  return { call: answer.call, why: answer.asked?.call?.why, rules: answer.asked?.rules ?? undefined }
}

/** For a step of a client's plan, a failure like any other. */
export const misplanned = (task: Task, reasonCode: string, message: string): TaskFailed => ({
  ...failed(task, reasonCode, { message, retryable: false }),
  misplanned: true,
})

export const failed = (
  task: Task,
  reasonCode: string,
  { message, retryable }: { readonly message: string; readonly retryable: boolean },
): TaskFailed => ({
  kind: 'failed',
  task,
  reasonCode,
  message: undefined,
  retryable,
  content: message,
  rest: '',
  usage: [],
})
