// Describes a run for a prompt: the task, the plan and its progress, the results of steps, people's answers, and the
// remaining limits. Constant parts come first, because providers cache the beginning of a prompt. The run's `metadata`
// is never part of a prompt.
import { type AnsweredCall, cutText, type SignalAction } from '@runwright/contract'
import { asData } from './as-data.ts'
import { describeResults, type FinishedStep, type Shown } from './finished-steps.ts'
import { shorten, valueTextOf, wholeTextOf } from './value-text.ts'

export interface PlannedStep {
  readonly id: string
  readonly what: string
  readonly state: 'done' | 'open' | 'current'
}

export interface PersonsAnswer {
  readonly action: SignalAction
  readonly asked: string | undefined
  readonly payload: unknown
  /** The call had been made, and whether it took effect was not known. */
  readonly wasTried?: boolean | undefined
  /** What it decides about the call. Edited arguments as the call was made with them. */
  readonly call?: AnsweredCall | undefined
  /** What the person says became of the call. Left out where the call itself is shown, with its result. */
  readonly said?: { readonly result: unknown } | { readonly error: string } | undefined
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
  /** All answers of people, oldest first. */
  readonly answers: readonly PersonsAnswer[]
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

/** The task and its progress, as paragraphs. */
export function describeRun(context: PromptContext, shown: Shown = {}): string[] {
  const { goal, input, attachmentRefs, date, plan, finished, answers } = context
  return [
    `Date (UTC): ${date}`,
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
    `Input:\n${wholeTextOf(input)}`,
    ...(attachmentRefs.length === 0 ? [] : [`Attachments:\n${attachmentRefs.join('\n')}`]),
    ...(plan === undefined ? [] : [describePlan(plan)]),
    ...describeResults(finished, shown),
    ...describeAnswers(answers),
  ]
}

const describePlan = (plan: readonly PlannedStep[]): string =>
  ['Plan:', ...plan.map(({ id, what, state }) => `- [${state}] ${id}: ${what}`)].join('\n')

/** Of all answers but the last, which is shown whole. The oldest are left out first. */
const maxAnswersLength = 16_000

/** A person is not asked twice about what they have answered. */
export function describeAnswers(answers: readonly PersonsAnswer[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const answer of answers.toReversed()) {
    const text = describeAnswer(answer, shown.length === 0 ? Number.POSITIVE_INFINITY : maxAnswersLength - length)
    if (shown.length > 0) length += text.length
    if (length > maxAnswersLength) break
    shown.push(text)
  }
  const left = answers.length - shown.length
  return [...(left === 0 ? [] : [`[${left} earlier answers of people are not shown]`]), ...shown.toReversed()]
}

const verdicts: Readonly<Record<SignalAction, string>> = {
  approve: 'The person approved it.',
  reject: 'The person rejected it.',
  submit_input: 'The person answered.',
}

/** What is decided about a call that may have taken effect. */
const verdictsAfterTry: Readonly<Record<SignalAction, string>> = {
  approve: 'The person approved making it again.',
  reject: verdicts.reject,
  submit_input: 'The person said what became of the call.',
}

function describeAnswer(answer: PersonsAnswer, maxLength: number): string {
  const { action, asked, payload, call, said: outcome, wasTried } = answer
  const question = asked === undefined ? 'A person was asked' : `A person was asked: ${JSON.stringify(asked)}`
  const hasWords = payload !== null && payload !== undefined
  const said = hasWords ? [asData('answer of the person', shorten(wholeTextOf(payload), maxLength))] : []
  const decided = call && describeDecision(call, { maxLength, wasTried })
  const verdict = decided?.verdict ?? (wasTried ? verdictsAfterTry : verdicts)[action]
  return [
    `${question}. ${verdict}`,
    ...(decided?.said ?? []),
    ...(outcome ? [describeOutcome(outcome, maxLength)] : []),
    ...said,
  ].join('\n')
}

const describeOutcome = (outcome: NonNullable<PersonsAnswer['said']>, maxLength: number): string =>
  'error' in outcome
    ? asData('error that the person gave', shorten(outcome.error, maxLength))
    : asData('result that the person gave', shorten(wholeTextOf(outcome.result), maxLength))

function describeDecision(
  call: AnsweredCall,
  { maxLength, wasTried }: Pick<PersonsAnswer, 'wasTried'> & { readonly maxLength: number },
) {
  const data = (name: string, value: unknown) => [asData(name, shorten(wholeTextOf(value), maxLength))]
  if (call.deny !== undefined)
    return {
      verdict: wasTried
        ? 'The person decided not to make it again. Whether the earlier attempt took effect is not known.'
        : 'The person did not allow the call. It was not made.',
      said: data('reason of the person', call.deny),
    }
  if (call.arguments !== undefined)
    return {
      verdict: 'The person changed the arguments of the call. These count instead of yours.',
      said: data('arguments of the person', call.arguments),
    }
  if (call.error !== undefined) return { verdict: 'The person said that the call was made and failed.', said: [] }
  const verdict = wasTried ? verdictsAfterTry.submit_input : 'The person gave the result of the call. It was not made.'
  return { verdict, said: [] }
}

export type Budget = Pick<PromptContext, 'tokensLeft' | 'secondsLeft'>

export const describeBudget = ({ tokensLeft, secondsLeft }: Budget): string =>
  `Left to spend: ${tokensLeft} tokens, ${Math.max(0, Math.round(secondsLeft))} seconds.`

/** What `describeRun` and `describeBudget` render differently each time. */
export const withoutClock = (text: string): string =>
  text
    .replace(/^Date \(UTC\): \d{4}-\d\d-\d\d$/gm, 'Date (UTC): (date)')
    // Left out: earlier versions told it in every prompt.
    .replace(/^Left to spend: [\w, ]{1,60}\.(?:\n\n|$)/gm, '')
