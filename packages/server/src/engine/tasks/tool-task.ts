// Executes a tool step: one call without a model. The tool's output is the step's output and, as JSON, its content.
import { describeUnresolved, fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import { keepOwnTemplates } from '../../domain/plan/template.ts'
import type { JournaledCall, TaskKey } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { idsOfStepCall } from '../calls/asked-call.ts'
import { hideCall, showInputs } from '../calls/secret-calls.ts'
import { makeCall } from '../calls/tool-calls.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { StepTime } from '../context/step-times.ts'
import type { TaskEnd, TaskFailed } from './task-end.ts'

export async function executeToolTask(
  context: ExecutionContext,
  task: Task,
  { step, time }: { readonly step: ResolvedToolStep; readonly time: StepTime },
): Promise<TaskEnd> {
  // The agent of the run bounds its tools, so no call is made without it.
  const { own, problem } = context.agents
  if (problem !== undefined) return failed(task, 'agent_unavailable', { message: problem, retryable: false })
  const input = fillTemplates(step.input, context.inputs.templateScope())
  if (!input.ok)
    return failed(task, 'template_unresolved', { message: `${describeUnresolved(input)}.`, retryable: false })
  const unknown = context.catalogue.absence(step.tool)
  if (unknown?.kind === 'unknown')
    return failed(task, 'tool_unavailable', { message: unknown.message, retryable: false })
  const { turns } = context.ledger.progress
  await context.yieldToEventLoop()
  const named = await runSliced(namedByClient(context, task.key, step))
  const call = { ...(await runSliced(callOf(context, task, { name: step.tool, input: input.value }))), ...named }
  if (context.run.secrets) await runSliced(showInputs(context.run.secrets, [call]))
  await context.yieldToEventLoop()
  const end = await makeCall(context, call, {
    step: context.stepOf(task.key),
    allowed: own?.tools && new Set(own.tools),
    begunBefore: new Set(turns.startedCalls.keys()),
    stepMsLeft: time.msLeft,
    needsTools: true,
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
  // A `once` call that fails had no effect, unless a person says so: approving is the way to make it again.
  const retryable = end.outcome !== 'policy_denied' && end.byPerson !== true
  return { ...failed(task, 'tool_failed', { message: end.message, retryable }), redacted }
}

/**
 * The secrets that the step itself names, with a template, a placeholder or the value. Those that come with the output
 * of an earlier step or the payload of a signal do not count: a model or a stranger may have written them.
 */
function* namedByClient(
  context: ExecutionContext,
  key: TaskKey,
  { input }: ResolvedToolStep,
): Generator<void, Pick<JournaledCall, 'byClient'>> {
  const { secrets } = context.run
  if (!secrets || !context.ledger.progress.isClients(key)) return {}
  const scope = context.inputs.templateScope()
  const own = fillTemplates(keepOwnTemplates(input, scope.stepIds), scope)
  const named = own.ok ? secrets.secretsIn(yield* secrets.hide(own.value)) : []
  return { byClient: named.map(({ source }) => source) }
}

function* callOf(
  context: ExecutionContext,
  task: Task,
  asked: { name: string; input: unknown },
): Generator<void, JournaledCall> {
  const ids = idsOfStepCall(context, task.key)
  return { ...ids, modelCallId: ids.callId, ...(yield* hideCall(context, asked)) }
}

const failed = (
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
