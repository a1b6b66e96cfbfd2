// The fields of an answer whose shape the question gives, for schemas of plain fields. Others are entered as JSON.
import type { Entry, EntryType } from './entries.ts'

const typeOf: Readonly<Record<string, EntryType>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'yes or no',
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const entriesOfSchema = (schema: unknown): readonly Entry[] | undefined => {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined
  const entries = Object.entries(schema.properties).map(([name, field]) => {
    const type = isObject(field) && typeof field.type === 'string' ? typeOf[field.type] : undefined
    return type && { name, type, value: type === 'yes or no' ? 'no' : '' }
  })
  return entries.length > 0 && entries.every((entry) => entry !== undefined) ? entries : undefined
}
