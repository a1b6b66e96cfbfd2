// Describes a run for a prompt: the task, the plan and its progress, the results of steps, people's answers, and the
// remaining limits. Constant parts come first, because providers cache the beginning of a prompt. The run's `metadata`
// is never part of a prompt.
import type { SignalAction } from '@runwright/contract'
import { cutText } from '../domain/text.ts'
import { isTextOf, maxShownLength, shorten, shortenValue, valueTextOf, wholeTextOf } from './value-text.ts'

export interface PlannedStep {
  readonly id: string
  readonly what: string
  readonly state: 'done' | 'open' | 'current'
}

export interface FinishedStep {
  readonly stepId: string
  readonly content: string
  readonly output: unknown
}

export interface PersonsAnswer {
  readonly action: SignalAction
  readonly asked: string | undefined
  readonly payload: unknown
}

export interface PromptContext {
  readonly goal: string | undefined
  /** The run's input without sensitive values. */
  readonly input: unknown
  readonly attachmentRefs: readonly string[]
  /** In UTC, such as `2026-11-16`. */
  readonly date: string
  /** Undefined if there is no plan. */
  readonly plan: readonly PlannedStep[] | undefined
  /** Oldest first, without planner steps. */
  readonly finished: readonly FinishedStep[]
  /** The last answer. Undefined if no person was asked yet. */
  readonly answer: PersonsAnswer | undefined
  readonly tokensLeft: number
  readonly secondsLeft: number
}

/** Built only when a model reads it: the sandbox never does, and inputs can be large. */
export type LazyContext = () => PromptContext

const maxTaskLength = 1_000

/** The run's goal and input, cut to what a memory search needs. */
export function taskOf({ goal, input }: Pick<PromptContext, 'goal' | 'input'>): string {
  return cutText([...(goal === undefined ? [] : [goal]), valueTextOf(input).beginning].join('\n'), maxTaskLength)
}

/** Marks untrusted text as data. The text cannot close its own mark. */
export const asData = (name: string, text: string): string =>
  `<data name=${JSON.stringify(name)}>\n${text.replaceAll('</data', '<\\/data')}\n</data>`

export interface Shown {
  /** How much of each finished step's result is shown. */
  readonly resultLength?: number
}

/** The task and its progress, as paragraphs. */
export function describeRun(context: PromptContext, { resultLength = maxShownLength }: Shown = {}): string[] {
  const { goal, input, attachmentRefs, date, plan, finished, answer } = context
  return [
    `Date (UTC): ${date}`,
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
    `Input:\n${wholeTextOf(input)}`,
    ...(attachmentRefs.length === 0 ? [] : [`Attachments:\n${attachmentRefs.join('\n')}`]),
    ...(plan === undefined ? [] : [describePlan(plan)]),
    ...finished.map((step) => describeResult(step, resultLength)),
    ...(answer ? [describeAnswer(answer)] : []),
  ]
}

const describePlan = (plan: readonly PlannedStep[]): string =>
  ['Plan:', ...plan.map(({ id, what, state }) => `- [${state}] ${id}: ${what}`)].join('\n')

export function describeResult({ stepId, content, output }: FinishedStep, maxLength = maxShownLength): string {
  const shown = asData(`result of ${stepId}`, shorten(content, maxLength))
  const isSame = output === null || output === undefined || isTextOf(output, content)
  return isSame ? shown : `${shown}\n${asData(`output of ${stepId}`, shortenValue(output, maxLength))}`
}

function describeAnswer({ action, asked, payload }: PersonsAnswer): string {
  const question = asked === undefined ? 'A person was asked' : `A person was asked: ${JSON.stringify(asked)}`
  const verdict = action === 'approve' ? 'The person approved it.' : 'The person answered.'
  const said = payload === null || payload === undefined ? [] : [asData('answer of the person', wholeTextOf(payload))]
  return [`${question}. ${verdict}`, ...said].join('\n')
}

export const describeBudget = ({ tokensLeft, secondsLeft }: PromptContext): string =>
  `Left to spend: ${tokensLeft} tokens, ${Math.max(0, Math.round(secondsLeft))} seconds.`

/** What `describeRun` and `describeBudget` render differently each time. */
export const withoutClock = (text: string): string =>
  text
    .replace(/^Date \(UTC\): \d{4}-\d\d-\d\d$/gm, 'Date (UTC): (date)')
    .replace(/^Left to spend: [\w, ]{1,60}\.$/gm, 'Left to spend: (limits).')
