// Edited arguments may contain the mask of a value that the person does not see. The service keeps the value where the
// mask is as the question shows it. Anywhere else, the mask itself would be sent.
import { hasMask } from '../parts/mask.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const partOf = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

const placeIn = (edited: unknown, shown: unknown): readonly string[] | undefined => {
  if (!isFields(edited)) return hasMask(edited) && edited !== shown ? [] : undefined
  for (const [name, value] of Object.entries(edited)) {
    const place = placeIn(value, partOf(shown, name))
    if (place) return [name, ...place]
  }
  return undefined
}

/** The names that lead to the first one. Where the question masks nothing, the mask is text like any other. */
export const misplacedMask = (edited: unknown, shown: unknown): readonly string[] | undefined =>
  hasMask(shown) ? placeIn(edited, shown) : undefined
