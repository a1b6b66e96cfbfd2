// What a model is told of a run: the task, the plan and how far it has come, what steps have found, what people answered, and
// what is left to spend. Laid out so that what does not change comes first: providers cache the beginning of a prompt.
// The run's `metadata` is not part of any prompt.
import type { SignalAction } from '@runwright/contract'
import { cutText } from '../domain/text.ts'

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
  /** The run's input with everything sensitive taken out. */
  readonly input: unknown
  readonly attachmentRefs: readonly string[]
  /** Of UTC, such as `2026-11-16`. */
  readonly date: string
  /** Undefined: there is no plan. */
  readonly plan: readonly PlannedStep[] | undefined
  /** Oldest first, without planner steps. */
  readonly finished: readonly FinishedStep[]
  /** The last one; undefined: nobody was asked yet. */
  readonly answer: PersonsAnswer | undefined
  readonly tokensLeft: number
  readonly secondsLeft: number
}

/** Contexts are made when a model reads them: the sandbox never does, and inputs can be large. */
export type LazyContext = () => PromptContext

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const maxTaskLength = 1_000

/** What the run is about, cut short: enough to look up what is known about it. */
export function taskOf({ goal, input }: Pick<PromptContext, 'goal' | 'input'>): string {
  return cutText([...(goal === undefined ? [] : [goal]), asText(input)].join('\n'), maxTaskLength)
}

/** Text that may hold anything, marked as material. It cannot close its own mark. */
export const asData = (name: string, text: string): string =>
  `<data name=${JSON.stringify(name)}>\n${text.replaceAll('</data', '<\\/data')}\n</data>`

/** Cut in the middle of nothing: the reader is told how much is missing. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const shown = cutText(text, maxLength)
  return `${shown}\n[… ${text.length - shown.length} more characters are not shown]`
}

/** A step's result of this many characters is shown whole: about 4,000 tokens. */
const maxResultLength = 16_000

export interface Shown {
  /** How much of each finished step's result is shown. */
  readonly resultLength?: number
}

/** The task and how far it has come, as paragraphs. */
export function describeRun(context: PromptContext, { resultLength = maxResultLength }: Shown = {}): string[] {
  const { goal, input, attachmentRefs, date, plan, finished, answer } = context
  return [
    `Date (UTC): ${date}`,
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
    `Input:\n${asText(input)}`,
    ...(attachmentRefs.length === 0 ? [] : [`Attachments:\n${attachmentRefs.join('\n')}`]),
    ...(plan === undefined ? [] : [describePlan(plan)]),
    ...finished.map((step) => describeResult(step, resultLength)),
    ...(answer ? [describeAnswer(answer)] : []),
  ]
}

const describePlan = (plan: readonly PlannedStep[]): string =>
  ['Plan:', ...plan.map(({ id, what, state }) => `- [${state}] ${id}: ${what}`)].join('\n')

export function describeResult({ stepId, content, output }: FinishedStep, maxLength = maxResultLength): string {
  const shown = asData(`result of ${stepId}`, shorten(content, maxLength))
  const isSame = output === null || output === undefined || JSON.stringify(output) === content
  return isSame ? shown : `${shown}\n${asData(`output of ${stepId}`, shorten(JSON.stringify(output), maxLength))}`
}

function describeAnswer({ action, asked, payload }: PersonsAnswer): string {
  const question = asked === undefined ? 'A person was asked' : `A person was asked: ${JSON.stringify(asked)}`
  const verdict = action === 'approve' ? 'The person approved it.' : 'The person answered.'
  const said = payload === null || payload === undefined ? [] : [asData('answer of the person', asText(payload))]
  return [`${question}. ${verdict}`, ...said].join('\n')
}

export const describeBudget = ({ tokensLeft, secondsLeft }: PromptContext): string =>
  `Left to spend: ${tokensLeft} tokens, ${Math.max(0, Math.round(secondsLeft))} seconds.`
