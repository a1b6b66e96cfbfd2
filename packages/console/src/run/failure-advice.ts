// What a person can do about a failure. The texts are those of the contract, so that the docs say the same.
import { eventAdvice, eventReasons, isEventReason, type LimitType, limitAdvice } from '@runwright/contract'

export type NextAction = 'retry' | 'resume' | 'run again' | 'run again in class long' | 'edit and run again'

export interface Advice {
  /** What happened, in one sentence. */
  readonly sentence: string
  /** What to do about it. */
  readonly advice: string
  /** Offered as buttons, the best one first. */
  readonly actions: readonly NextAction[]
}

const isLimit = (code: string): code is LimitType => Object.hasOwn(limitAdvice, code)

/** A plan or a script may have reason codes of its own. */
export const adviceFor = (code: string): Advice => {
  if (isLimit(code)) return limitAdvice[code]
  if (isEventReason(code)) return { sentence: eventReasons[code], ...eventAdvice[code] }
  return {
    sentence: `The run failed: ${code}.`,
    advice: 'This reason comes from the plan or the script of the run.',
    actions: ['retry', 'edit and run again'],
  }
}
