// A tool's result as the model sees it: whole, or its beginning with the total length and how to read the rest.
import { cutText } from '@runwright/contract'
import { maxShownLength, valueTextOf, writeText } from './value-text.ts'

export const readResultName = 'read_result'

export const isCut = (output: unknown, maxLength = maxShownLength): boolean => valueTextOf(output).length > maxLength

export function showResult(callId: string, output: unknown, maxLength = maxShownLength): unknown {
  const { length, beginning } = valueTextOf(output)
  if (length <= maxLength) return output
  const note = `This result has ${length} characters; the first ${maxLength} are shown. Call ${readResultName} with call_id "${callId}" and an offset to read on.`
  return `[${note}]\n\n${cutText(beginning, maxLength)}`
}

/** A part of a result, for `read_result`. */
export function readOn(output: unknown, offset: number, length: number = maxShownLength) {
  const text = writeText(output)
  const part = cutText(text.slice(offset), Math.min(length, maxShownLength))
  const end = offset + part.length
  return { offset, text: part, length: text.length, ...(end < text.length && { next_offset: end }) }
}
