// Which decisions are worth a line on a card. What only says that the run goes on is not.
import type { StoryDecision } from './story.ts'

const goesOn: ReadonlySet<string> = new Set(['step_done', 'plan_ready'])
/** The page shows the question, or the end, in its own place. */
const shownElsewhere: ReadonlySet<string> = new Set(['approval_required', 'input_required', 'all_done'])

const isRoutine = ({ type, reasonCode, words }: StoryDecision): boolean =>
  type === 'continue'
    ? goesOn.has(reasonCode)
    : shownElsewhere.has(reasonCode) && ownWords(words, reasonCode) === undefined

/** Codes that say only what the decision says. The others say more, also beside the words of the judge. */
const plain: ReadonlySet<string> = new Set([...goesOn, ...shownElsewhere, 'replan_requested'])

/** Whether the decision needs the sentence of its code, because the judge was overruled or something else happens. */
export const needsSentence = (reasonCode: string): boolean => !plain.has(reasonCode)

/** What the judge wrote. A model without a judge repeats the code. */
export const ownWords = (words: string | undefined, reasonCode: string): string | undefined =>
  words === reasonCode ? undefined : words

interface ToldDecisions {
  readonly told: readonly StoryDecision[]
  /** For who wants to know: what the judge wrote about a step that it let pass. */
  readonly details: readonly StoryDecision[]
}

export const toldDecisions = (decisions: readonly StoryDecision[]): ToldDecisions => ({
  told: decisions.filter((decision) => !isRoutine(decision)),
  details: decisions.filter(
    (decision) => isRoutine(decision) && ownWords(decision.words, decision.reasonCode) !== undefined,
  ),
})
