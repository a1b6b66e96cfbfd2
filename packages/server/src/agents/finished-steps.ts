// The results of finished steps in a prompt. All of them share one budget: many long results would fill the window.
import { asData } from './as-data.ts'
import { readResultName } from './show-result.ts'
import { isTextOf, maxShownLength, shorten, shortenValue, valueTextOf } from './value-text.ts'

export interface FinishedStep {
  readonly stepId: string
  readonly content: string
  readonly output: unknown
}

export interface Shown {
  /** How much of each finished step's result is shown. All of them together may have twice as much. */
  readonly resultLength?: number
  /** The model can read on with `read_result`. */
  readonly canReadOn?: boolean
}

/** Names of steps whose results are not shown at all. */
const maxNamesLength = 1_000

/** The id under which `read_result` finds the result of a step. */
export const stepResultId = (stepId: string): string => `step:${stepId}`

/** Of the newest steps as much as fits, and then less of the older ones. */
export function describeResults(finished: readonly FinishedStep[], shown: Shown = {}): string[] {
  const { resultLength = maxShownLength } = shown
  const texts: string[] = []
  let left = 2 * resultLength
  for (const step of finished.toReversed()) {
    const allowed = Math.min(resultLength, left)
    if (allowed <= 0) break
    texts.push(withNote(describeResult(step, allowed), step, { allowed, shown }))
    left -= Math.min(lengthOf(step), allowed)
  }
  return [...describeHidden(finished.slice(0, finished.length - texts.length), shown), ...texts.toReversed()]
}

/** Whether a prompt leaves out a part of the results. */
export function cutsResults(finished: readonly FinishedStep[], { resultLength = maxShownLength }: Shown = {}): boolean {
  const lengths = finished.map(lengthOf)
  return Math.max(0, ...lengths) > resultLength || lengths.reduce((sum, length) => sum + length, 0) > 2 * resultLength
}

/** A result, and the output if that is something else. Together they are shown up to the length. */
export function describeResult(step: FinishedStep, maxLength = maxShownLength): string {
  const { stepId, content, output } = step
  const contentLength = lengthOfContent(step, maxLength)
  const shown = asData(`result of ${stepId}`, shorten(content, contentLength))
  if (isContent(output, content)) return shown
  const left = maxLength - Math.min(content.length, contentLength)
  return `${shown}\n${asData(`output of ${stepId}`, shortenValue(output, left))}`
}

/** How much of the content is shown. Half of it is left to a long output. */
function lengthOfContent({ content, output }: FinishedStep, maxLength: number): number {
  if (isContent(output, content)) return maxLength
  return maxLength - Math.min(valueTextOf(output).length, Math.floor(maxLength / 2))
}

const isContent = (output: unknown, content: string): boolean =>
  output === null || output === undefined || isTextOf(output, content)

const lengthOf = ({ content, output }: FinishedStep): number =>
  content.length + (isContent(output, content) ? 0 : valueTextOf(output).length)

interface Cut {
  readonly allowed: number
  readonly shown: Shown
}

function withNote(text: string, step: FinishedStep, { allowed, shown }: Cut): string {
  const offset = lengthOfContent(step, allowed)
  if (!shown.canReadOn || step.content.length <= offset) return text
  const id = JSON.stringify(stepResultId(step.stepId))
  return `${text}\n[To read on, call ${readResultName} with call_id ${id} and offset ${offset}.]`
}

function describeHidden(hidden: readonly FinishedStep[], { canReadOn }: Shown): string[] {
  if (hidden.length === 0) return []
  const names = shorten(hidden.map(({ stepId }) => stepId).join(', '), maxNamesLength)
  const how = canReadOn ? ` Call ${readResultName} with call_id "step:<id>" to read one.` : ''
  return [`[The results of ${hidden.length} earlier steps are not shown: ${names}.${how}]`]
}
