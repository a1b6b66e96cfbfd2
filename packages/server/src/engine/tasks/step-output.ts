// The output schema of a step, and the check of the model's answers against it. Both happen on other threads, with
// limits: a schema of another time may be larger than is allowed now, and a value may take too long to check.
import type { LoopRules, OutputCheck } from '../../agents/worker-loop.ts'
import { describeSchemaErrors } from '../../domain/json/describe-schema-errors.ts'
import { isSchemaProblem, type OutputSchema, readOutputSchema } from '../../domain/json/output-schema.ts'
import { describeSchemaProblem } from '../../domain/json/schema-to-compile.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import type { ReplyEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { describeCompileProblem, describeSchemaEnd } from '../../runtime/schemas/describe-schema-end.ts'
import type { CheckOutcome, SchemaCaller } from '../../runtime/schemas/schema-threads.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'

/** Why the step fails. */
export type OutputFailure = Extract<OutputCheck, { failure: unknown }>['failure']

type Rules = Pick<LoopRules, 'outputSchema' | 'checked'>

export class StepOutput {
  readonly #context: ExecutionContext
  readonly #given: unknown
  readonly #checked = new Map<ReplyEntry, OutputCheck>()
  #schema: OutputSchema | undefined

  constructor(context: ExecutionContext, task: Task, step: ResolvedAgentStep) {
    this.#context = context
    this.#given = schemaOf(context, task, step)
  }

  get rules(): Rules {
    return { outputSchema: this.#schema?.schema, checked: this.#checked }
  }

  /** Compiles the schema before the model is asked, so that an unusable one costs no tokens. */
  async open(): Promise<OutputFailure | undefined> {
    if (this.#given === undefined) return undefined
    const read = readOutputSchema(this.#given)
    if (isSchemaProblem(read)) return unusable(describeSchemaProblem(['output_schema'], read))
    const { schemas } = this.#context.parts
    const outcome = await schemas.compile({ kind: 'output', schema: read.text }, this.#caller)
    throwIfAborted(this.#context.signal)
    if (outcome !== 'compiled') return unusable(`output_schema cannot be compiled: ${describeCompileProblem(outcome)}`)
    this.#schema = read
    return undefined
  }

  /** Checks the output of an answer, and notes the result under its last reply. */
  async check(reply: ReplyEntry, output: unknown): Promise<void> {
    const schema = { kind: 'output', schema: this.#schema?.text ?? '{}' } as const
    const outcome = await this.#context.parts.schemas.check(schema, output, this.#caller)
    throwIfAborted(this.#context.signal)
    this.#checked.set(reply, resultOf(outcome))
  }

  get #caller(): SchemaCaller {
    const { run, signal } = this.#context
    return { customerId: run.customerId, signal }
  }
}

function resultOf(outcome: CheckOutcome): OutputCheck {
  if ('problem' in outcome) return { failure: unusable(`output_schema cannot be compiled: ${outcome.problem}`) }
  if ('errors' in outcome)
    return { problem: outcome.errors.length === 0 ? undefined : describeSchemaErrors(outcome.errors) }
  const message = `The answer cannot be checked against the output schema: ${describeSchemaEnd(outcome.ended)}.`
  return { failure: { reasonCode: 'output_check_limit', message } }
}

const unusable = (problem: string): OutputFailure => ({
  reasonCode: 'output_schema_unusable',
  message: `The step cannot be executed: ${problem}.`,
})

/** That of the step, of the run's result, of the step's agent, or of the run's agent. */
function schemaOf(context: ExecutionContext, task: Task, step: ResolvedAgentStep): unknown {
  const isLast = context.ledger.progress.isLast(task.key) !== false
  const { set, own } = context.agents
  const ofAgent = step.agent === undefined ? undefined : set?.find(step.agent)?.outputSchema
  const ofRun = isLast ? context.run.input.output_schema : undefined
  return step.outputSchema ?? ofRun ?? ofAgent ?? (isLast ? own?.outputSchema : undefined)
}
