// The planner: reads what the run is about and makes a plan of it.
import type { Plan } from '@runwright/contract'
import { parsePlan, type ResolvedPlan, toWire } from '../domain/plan/plan.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { Model, ModelOutcome, ModelRequest } from '../models/port/model.ts'
import { contextMessages, type LazyContext, taskOf } from './prompt.ts'
import { type Recall, recallFor } from './recall.ts'

const system =
  'You plan the work of an agent. Break the task into a few steps that can be done one after another. ' +
  'Answer with JSON: {"steps":[{"instruction":"…"}]}. Use as few steps as the task needs.'

const outputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['steps'],
  properties: {
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['instruction'],
        properties: { instruction: { type: 'string', minLength: 1 } },
      },
    },
  },
} as const

export type Planned =
  | {
      readonly kind: 'planned'
      readonly plan: ResolvedPlan
      readonly wire: Plan
      readonly text: string
      readonly tokens: number | undefined
    }
  | Exclude<ModelOutcome, { kind: 'reply' }>

interface PlannerRequest extends Pick<ModelRequest, 'signal' | 'onText' | 'rehearsal' | 'maxOutputTokens'> {
  readonly recall?: Recall
}

export async function makePlan(model: Model, context: LazyContext, planning: PlannerRequest): Promise<Planned> {
  const { recall, ...request } = planning
  const memory = await recallFor(model, recall, () => taskOf(context()))
  const outcome = await model.respond({
    ...request,
    role: 'planner',
    get messages() {
      return contextMessages(system, context, memory)
    },
    tools: [],
    outputSchema,
  })
  if (outcome.kind !== 'reply') return outcome
  const { text, tokens } = outcome
  try {
    const plan = parsePlan(outcome.output, new Set())
    return { kind: 'planned', plan, wire: toWire(plan), text, tokens }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = `The planner made no valid plan: ${error.message}`
    return { kind: 'failure', reasonCode: 'provider_error', message, retryable: true, text, tokens }
  }
}
