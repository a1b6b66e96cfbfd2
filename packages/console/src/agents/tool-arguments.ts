// The arguments of a tool as a form: a field for each argument that is a single value, or JSON for all of them.
import { parseJsonObject } from '../parts/parse-json.ts'

export interface ArgumentField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'choice'
  readonly choices: readonly string[]
  readonly isRequired: boolean
  readonly isWhole: boolean
  readonly description: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kinds: Readonly<Record<string, ArgumentField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

const fieldOf = (name: string, schema: unknown, isRequired: boolean): ArgumentField | undefined => {
  // What is entered is kept by name: `constructor` would be found where nothing was entered.
  if (!isRecord(schema) || name in {}) return undefined
  const description = typeof schema.description === 'string' ? schema.description : ''
  const common = { name, isRequired, description, isWhole: schema.type === 'integer' }
  const { enum: values } = schema
  if (Array.isArray(values)) {
    const isTexts = values.every((value) => typeof value === 'string')
    return isTexts ? { ...common, kind: 'choice', choices: values } : undefined
  }
  const kind = typeof schema.type === 'string' ? kinds[schema.type] : undefined
  return kind && { ...common, kind, choices: [] }
}

/** Undefined, so that JSON is needed: an argument is more than a single value, or a required one has no schema. */
export const argumentFieldsOf = (schema: Readonly<Record<string, unknown>>): readonly ArgumentField[] | undefined => {
  const { properties, required } = schema
  if (!isRecord(properties)) return undefined
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  if (names.some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))) return undefined
  const fields = Object.entries(properties).map(([name, part]) => fieldOf(name, part, names.includes(name)))
  return fields.every((field) => field !== undefined) ? fields : undefined
}

export type ArgumentTexts = Readonly<Record<string, string>>

type Arguments = { readonly value: Record<string, unknown> } | { readonly problems: ArgumentTexts }

const numberPattern = /^-?\d{1,15}(\.\d{1,15})?$/

const readText = ({ kind, isWhole }: ArgumentField, text: string): { value: unknown } | { problem: string } => {
  if (kind === 'boolean') return { value: text === 'yes' }
  if (kind !== 'number') return { value: text }
  const isNumber = numberPattern.test(text.trim()) && (!isWhole || !text.includes('.'))
  return isNumber ? { value: Number(text) } : { problem: isWhole ? 'Enter a whole number.' : 'Enter a number.' }
}

/** Empty fields are left out; a required one must be filled. */
export const argumentsOf = (fields: readonly ArgumentField[], texts: ArgumentTexts): Arguments => {
  const value: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = texts[field.name] ?? ''
    if (text === '' && !field.isRequired) continue
    if (text === '' && field.kind !== 'boolean') {
      problems[field.name] = 'This field is needed.'
      continue
    }
    const read = readText(field, text)
    if ('problem' in read) problems[field.name] = read.problem
    else Object.defineProperty(value, field.name, { value: read.value, enumerable: true })
  }
  return Object.keys(problems).length > 0 ? { problems } : { value }
}

export const jsonArgumentsOf = (json: string): Arguments => {
  const parsed = json.trim() === '' ? { value: {} } : parseJsonObject(json)
  return 'problem' in parsed ? { problems: { json: parsed.problem } } : parsed
}
