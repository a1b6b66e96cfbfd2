// Which role takes the first step of a run, what decided that, and why.
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
  /** The worker's model is the sandbox. */
  readonly isSandbox: boolean
}

/** A plan decides; without a plan, the client's hint; without a hint, the input. */
export function routeRun({ hint, plan, input, isSandbox }: RoutingRequest): Routing {
  if (plan !== undefined) return planGiven
  if (hint === 'skip_planning') return planningSkipped
  if (hint === 'require_planning') return planningRequired
  if (isSandbox) return isSingleQuestion(input) ? singleQuestion : openTask
  return isSmallRequest(input) ? smallRequest : openTask
}

const planGiven: Routing = { first_role: 'worker', decided_by: 'plan', reason: 'plan_given' }
const planningSkipped: Routing = { first_role: 'worker', decided_by: 'hint', reason: 'skip_planning' }
const planningRequired: Routing = { first_role: 'planner', decided_by: 'hint', reason: 'require_planning' }
const singleQuestion: Routing = { first_role: 'worker', decided_by: 'heuristic', reason: 'single_question' }
const smallRequest: Routing = { first_role: 'worker', decided_by: 'heuristic', reason: 'small_request' }
const openTask: Routing = { first_role: 'planner', decided_by: 'heuristic', reason: 'open_task' }

const maxQuestionLength = 120
const oneQuestion = /^[^?!.;:\n\r]*[^?!.;:\s]\?$/

/** For the sandbox, where planning is free: only a single plain question is not planned. */
function isSingleQuestion(input: Readonly<Record<string, unknown>>): boolean {
  const { question } = input
  if (typeof question !== 'string' || Object.keys(input).length !== 1) return false
  return question.length <= maxQuestionLength && oneQuestion.test(question.trim())
}

const maxRequestLength = 400
const maxFields = 5
const maxSentences = 3
const orderWords = /\b(?:then|afterwards|after that|next|finally|first|firstly|second|secondly|step \d|as well as)\b/i
const listItem = /^[ \t]*(?:[-*•]|\d{1,3}[.)])\s/m
/** Fields that are not part of the request. */
const aside: ReadonlySet<string> = new Set(['output_schema', 'rubric', 'sandbox'])

/**
 * With a real model a plan costs two more calls, so it must be worth it. A short request for one thing goes straight to
 * the worker: a few short fields with any name, without lists, nesting or several actions.
 */
function isSmallRequest(input: Readonly<Record<string, unknown>>): boolean {
  const fields = Object.entries(input).filter(([name]) => !aside.has(name))
  if (fields.length > maxFields || fields.some(([, value]) => typeof value === 'object' && value !== null)) return false
  const text = fields.map(([, value]) => String(value)).join('\n')
  if (text.length > maxRequestLength || orderWords.test(text) || listItem.test(text)) return false
  return text.split(/[.!?](?=\s|$)/).filter((sentence) => sentence.trim() !== '').length <= maxSentences
}
