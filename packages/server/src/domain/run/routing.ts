// Which role takes the first step of a run, who decided that, and why.
import type { Role, RoutingHint } from '@runwright/contract'

export interface Routing {
  readonly first_role: Extract<Role, 'planner' | 'worker'>
  readonly decided_by: 'hint' | 'plan' | 'heuristic'
  readonly reason: string
}

interface RoutingRequest {
  readonly hint: RoutingHint | undefined
  readonly plan: object | undefined
  readonly input: Readonly<Record<string, unknown>>
}

/** A plan leaves nothing to decide; without one the client's hint decides; without a hint the input does. */
export function routeRun({ hint, plan, input }: RoutingRequest): Routing {
  if (plan !== undefined) return planGiven
  if (hint === 'skip_planning') return planningSkipped
  if (hint === 'require_planning') return planningRequired
  return isSingleQuestion(input) ? singleQuestion : openTask
}

const planGiven: Routing = { first_role: 'worker', decided_by: 'plan', reason: 'plan_given' }
const planningSkipped: Routing = { first_role: 'worker', decided_by: 'hint', reason: 'skip_planning' }
const planningRequired: Routing = { first_role: 'planner', decided_by: 'hint', reason: 'require_planning' }
const singleQuestion: Routing = { first_role: 'worker', decided_by: 'heuristic', reason: 'single_question' }
const openTask: Routing = { first_role: 'planner', decided_by: 'heuristic', reason: 'open_task' }

const maxQuestionLength = 120
const oneQuestion = /^[^?!.;:\n\r]*[^?!.;:\s]\?$/

/**
 * Planning costs one call and misleads nobody; an answer without the plan it needed is a poor answer. So only what is
 * plainly one small request goes straight to the worker: an input of nothing but `question`, one short sentence that
 * ends in the only question mark.
 */
function isSingleQuestion(input: Readonly<Record<string, unknown>>): boolean {
  const { question } = input
  if (typeof question !== 'string' || Object.keys(input).length !== 1) return false
  return question.length <= maxQuestionLength && oneQuestion.test(question.trim())
}
