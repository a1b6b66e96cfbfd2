// Data as a person enters it: by the fields of its schema, by fields of their own, or as JSON.
import { type ArgumentField, type ArgumentTexts, argumentFieldsOf, argumentsOf } from '../agents/tool-arguments.ts'
import { textsOf } from '../create/plan/tool-input.ts'
import { parseJson } from '../parts/parse-json.ts'
import { type Entry, emptyEntry, objectOf } from './entries.ts'
import { isSameJson } from './same-json.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Form {
  readonly schema: Fields | null
  /** Those of the schema. Undefined: the data has more than single values, or no schema. */
  readonly fields: readonly ArgumentField[] | undefined
  /** Nothing says what the data is: a person names the fields. */
  readonly isFree: boolean
  /** What is there already, and can be changed. */
  readonly given: unknown
}

export interface FormDraft {
  readonly isJson: boolean
  /** By the name of the field. */
  readonly texts: ArgumentTexts
  readonly entries: readonly Entry[]
  readonly json: string
}

export interface FormProblems {
  readonly whole?: string
  readonly fields?: ArgumentTexts
}

export type ReadForm = { readonly value: unknown } | { readonly problems: FormProblems }

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const spaced = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** The texts of the fields for what is given. Undefined: the fields cannot show all of it. */
const textsFor = (fields: readonly ArgumentField[], given: unknown): ArgumentTexts | undefined => {
  if (!isFields(given)) return undefined
  const isChoice = ({ name, kind, choices }: ArgumentField) =>
    kind !== 'choice' || given[name] === undefined || choices.includes(String(given[name]))
  return fields.every(isChoice) ? textsOf(fields, given) : undefined
}

const fieldsFor = (schema: Fields | null, given: unknown): readonly ArgumentField[] | undefined => {
  const fields = (schema && argumentFieldsOf(schema)) || []
  if (fields.length === 0) return undefined
  return given === undefined || textsFor(fields, given) ? fields : undefined
}

export const formOf = (schema: Fields | null, given?: unknown): Form => ({
  schema,
  fields: fieldsFor(schema, given),
  isFree: schema === null && given === undefined,
  given,
})

export const startOf = ({ fields, isFree, given }: Form): FormDraft => ({
  isJson: fields === undefined && !isFree,
  texts: (fields && textsFor(fields, given)) ?? {},
  entries: [emptyEntry],
  json: given === undefined ? '' : spaced(given),
})

export const readForm = (form: Form, { isJson, texts, entries, json }: FormDraft): ReadForm => {
  if (!isJson && form.fields) return readFields(form.fields, texts, form.given)
  const read = isJson ? parseJson(json) : objectOf(entries)
  return 'problem' in read ? { problems: { whole: read.problem } } : read
}

/** A field that was not touched keeps its value, and its place: only what differs is a change. */
const readFields = (fields: readonly ArgumentField[], texts: ArgumentTexts, given: unknown): ReadForm => {
  const before = textsFor(fields, given)
  const isTouched = ({ name }: ArgumentField) => !before || (texts[name] ?? '') !== (before[name] ?? '')
  const touched = fields.filter(isTouched)
  const read = argumentsOf(touched, texts)
  if ('problems' in read) return { problems: { fields: read.problems } }
  const names = new Set(touched.map(({ name }) => name))
  const old = Object.entries(isFields(given) ? given : {})
  const kept = old.flatMap(([name, value]) => {
    if (!names.has(name)) return [[name, value]]
    return Object.hasOwn(read.value, name) ? [[name, read.value[name]]] : []
  })
  const added = Object.entries(read.value).filter(([name]) => !old.some(([one]) => one === name))
  return { value: Object.fromEntries([...kept, ...added]) }
}

export const canSwitch = ({ fields, isFree }: Form): boolean => fields !== undefined || isFree

/** The other way to enter the same. */
export const switched = (form: Form, draft: FormDraft): FormDraft => {
  const read = readForm(form, draft)
  const other = { ...draft, isJson: !draft.isJson }
  if ('problems' in read) return other
  if (other.isJson) return { ...other, json: spaced(read.value) }
  const texts = form.fields && textsFor(form.fields, read.value)
  return texts ? { ...other, texts } : other
}

/** What would be sent, for a comparison: spaces and line breaks do not count. */
export const textOf = (form: Form, draft: FormDraft): string => {
  const read = readForm(form, draft)
  if ('value' in read) return spaced(read.value)
  return draft.isJson ? draft.json : spaced(form.given)
}

/** With this value: by fields, if they say exactly the same. */
export const filledWith = (form: Form, value: unknown): FormDraft => {
  const start = startOf(form)
  const texts = form.fields && textsFor(form.fields, value)
  const read = texts && readForm(form, { ...start, isJson: false, texts })
  return read && 'value' in read && isSameJson(read.value, value)
    ? { ...start, isJson: false, texts: texts ?? {} }
    : { ...start, isJson: true, json: spaced(value) }
}
