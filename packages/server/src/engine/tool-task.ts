// Executes a tool step: one call without a model. Its output is the step's output, and as JSON its content.

import { fillTemplates } from '../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../domain/plan/plan.ts'
import type { Task } from '../domain/run/progress.ts'
import { derivedWireId } from '../runtime/derived-ids.ts'
import type { ExecutionContext } from './execution-context.ts'
import { hideCall } from './secret-calls.ts'
import type { TaskEnd, TaskFailed } from './task-end.ts'
import { makeCall } from './tool-calls.ts'

export async function executeToolTask(context: ExecutionContext, task: Task, step: ResolvedToolStep): Promise<TaskEnd> {
  const failed = (reasonCode: string, message: string, retryable: boolean): TaskFailed => ({
    end: 'failed',
    task,
    reasonCode,
    message: reasonCode === 'tool_failed' ? undefined : message,
    retryable,
    content: message,
    rest: '',
    usage: [],
  })
  const input = fillTemplates(step.input, context.templateScope())
  if (!input.ok) return failed('template_unresolved', `{{${input.unresolved}}} has no value`, false)
  const { progress } = context.ledger
  const begunBefore = new Set(progress.startedCalls.keys())
  const callId = derivedWireId('call', context.run.id, task.key, String(progress.failuresOf(task.key).total))
  const call = { callId, modelCallId: callId, ...hideCall(context, { name: step.tool, input: input.value }) }
  const of = context.stepOf(task.key)
  const end = await makeCall(context, call, { step: of, allowed: undefined, begunBefore })
  if (end.outcome === 'person_asked') return { end: 'person_asked', task, wait: end.wait }
  const redacted = end.redacted === true
  if (end.outcome !== 'succeeded') {
    return { ...failed('tool_failed', end.message, end.outcome !== 'policy_denied'), redacted }
  }
  const content = JSON.stringify(end.output)
  return { end: 'succeeded', task, content, output: end.output, redacted, rest: '', usage: [] }
}
