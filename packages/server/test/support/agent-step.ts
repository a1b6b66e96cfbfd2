// For tests of agent steps without a database: one step of a fake execution, whose model gives the test's answers in
// turn.
import type { ResolvedAgentStep } from '../../src/domain/plan/plan.ts'
import type { Task } from '../../src/domain/run/next-move.ts'
import { executeAgentTask } from '../../src/engine/tasks/agent-task.ts'
import type { TaskEnd } from '../../src/engine/tasks/task-end.ts'
import type { ModelOutcome, ModelRequest } from '../../src/models/port/model.ts'
import {
  type FakeExecution,
  type FakeModel,
  type FakeOptions,
  fakeExecution,
  fakeModel,
  reply,
} from './fake-execution.ts'

type Given = ModelOutcome | ((request: ModelRequest) => ModelOutcome | Promise<ModelOutcome>)

interface AgentStepOptions extends FakeOptions {
  /** Fields of the step `a`, the first of the plan. */
  readonly step?: Readonly<Record<string, unknown>>
  /** The steps after it. */
  readonly more?: readonly { readonly id: string; readonly instruction: string }[]
}

interface ExecutedStep extends FakeExecution {
  readonly worker: FakeModel
  readonly task: Task
  readonly end: Promise<TaskEnd>
}

export function executeAgentStep(outcomes: readonly Given[], options: AgentStepOptions = {}): ExecutedStep {
  const { step = {}, more = [], ...rest } = options
  const worker = fakeModel('test/worker', ...outcomes)
  const plan = { steps: [{ id: 'a', instruction: 'Pay it', ...step }, ...more] }
  const execution = fakeExecution({ plan, ...rest, models: { worker: [worker], ...rest.models } })
  const [task] = execution.tasks() as readonly [Task]
  const whole = { step: task.step as ResolvedAgentStep, time: { msLeft: () => 600_000 } }
  return { ...execution, worker, task, end: executeAgentTask(execution.context, task, whole) }
}

/** A reply that asks for these calls; the model's ids are m0, m1 … */
export const askFor = (...asked: readonly { readonly name: string; readonly input?: unknown }[]) =>
  reply('', { toolCalls: asked.map(({ name, input = {} }, index) => ({ id: `m${index}`, name, input })) })
