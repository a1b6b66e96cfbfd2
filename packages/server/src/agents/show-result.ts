// A tool's result as the model sees it: whole, or its beginning with the total length and how to read the rest.
import { cutText } from '../domain/text.ts'

/** About 4,000 tokens. */
export const maxShownResult = 16_000

export const readResultName = 'read_result'

const resultText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output))

export const isCut = (output: unknown, maxLength = maxShownResult): boolean => resultText(output).length > maxLength

export function showResult(callId: string, output: unknown, maxLength = maxShownResult): unknown {
  if (!isCut(output, maxLength)) return output
  const text = resultText(output)
  const note = `This result has ${text.length} characters; the first ${maxLength} are shown. Call ${readResultName} with call_id "${callId}" and an offset to read on.`
  return `[${note}]\n\n${cutText(text, maxLength)}`
}

/** A part of a result, for `read_result`. */
export function readOn(output: unknown, offset: number, length: number = maxShownResult) {
  const text = resultText(output)
  const part = cutText(text.slice(offset), Math.min(length, maxShownResult))
  const end = offset + part.length
  return { offset, text: part, length: text.length, ...(end < text.length && { next_offset: end }) }
}
