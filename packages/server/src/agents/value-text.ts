// The JSON text of values that prompts show: inputs, results, answers. A value may have 1 MiB, and every prompt shows
// it again, so its text is written once, and only the beginning of a long one is kept.
import { cutText } from '@runwright/contract'

/** A prompt shows no more of a result at once: about 4,000 tokens. */
export const maxShownLength = 16_000

interface ValueText {
  readonly length: number
  /** Up to `maxShownLength`. */
  readonly beginning: string
  /** The last text that it was compared with. */
  compared?: { readonly text: string; readonly isSame: boolean }
}

const texts = new WeakMap<object, ValueText>()
const wholeTexts = new WeakMap<object, string>()

/** A text as it is, anything else as JSON. */
export const writeText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')

/** The same, kept for the next prompt. */
export function wholeTextOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return writeText(value)
  const text = wholeTexts.get(value) ?? writeText(value)
  wholeTexts.set(value, text)
  return text
}

export function valueTextOf(value: unknown): ValueText {
  if (typeof value !== 'object' || value === null) return toValueText(writeText(value))
  const text = texts.get(value) ?? toValueText(writeText(value))
  texts.set(value, text)
  return text
}

const toValueText = (text: string): ValueText => ({ length: text.length, beginning: cutText(text, maxShownLength) })

/** Writes the texts of many values. Yields where the work can be interrupted. */
export function* writeTexts(values: Iterable<unknown>): Generator<void, void> {
  for (const value of values) {
    valueTextOf(value)
    yield
  }
}

/** Whether a text is the JSON of the value. */
export function isTextOf(value: unknown, text: string): boolean {
  const known = valueTextOf(value)
  if (known.length !== text.length || !text.startsWith(known.beginning)) return false
  if (known.compared?.text !== text) known.compared = { text, isSame: writeText(value) === text }
  return known.compared.isSame
}

/** Cuts at a character boundary and says how much is missing. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : withRest(cutText(text, maxLength), text.length)

/** The same for the text of a value. `maxLength` is at most `maxShownLength`. */
export function shortenValue(value: unknown, maxLength: number): string {
  const { length, beginning } = valueTextOf(value)
  return length <= maxLength ? beginning : withRest(cutText(beginning, maxLength), length)
}

const withRest = (shown: string, length: number): string =>
  `${shown}\n[… ${length - shown.length} more characters are not shown]`
