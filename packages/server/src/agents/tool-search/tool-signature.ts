// A tool as the planner is shown it: its name and arguments on one line, such as `pay(to: string, note?: string)`. The
// schema may come from another server, so what is shown of it is bounded.
import { cutText } from '@runwright/contract'
import type { OfferedTool } from '../../models/port/model.ts'

/** Of the arguments. Those beyond it are only counted. */
const maxArgumentsLength = 400
const maxNameLength = 60
const maxTypeLength = 80
const maxListedValues = 6

type Schema = Readonly<Record<string, unknown>>

export function toolSignature({ name, inputSchema }: Pick<OfferedTool, 'name' | 'inputSchema'>): string {
  const properties = Object.entries(asSchema(inputSchema.properties))
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : []
  const isRequired = ([property]: readonly [string, unknown]) => required.includes(property)
  // Those that a call cannot do without come first, so that none of them is cut.
  const ordered = [...properties.filter(isRequired), ...properties.filter((entry) => !isRequired(entry))]
  const shown: string[] = []
  let length = 0
  for (const entry of ordered) {
    const text = showArgument(entry, isRequired(entry))
    length += text.length + 2
    if (length > maxArgumentsLength) break
    shown.push(text)
  }
  const left = ordered.length - shown.length
  return `${name}(${[...shown, ...(left > 0 ? [`… ${left} more`] : [])].join(', ')})`
}

const showArgument = ([name, schema]: readonly [string, unknown], isRequired: boolean): string =>
  `${showProperty(name)}${isRequired ? '' : '?'}: ${cutText(typeOf(asSchema(schema)), maxTypeLength)}`

/** A name with other characters is quoted, so that it cannot pass for a part of the list. */
const showProperty = (name: string): string =>
  /^\w{1,60}$/.test(name) ? name : JSON.stringify(cutText(name, maxNameLength))

function typeOf(schema: Schema): string {
  if ('const' in schema) return listValues([schema.const])
  if (Array.isArray(schema.enum)) return listValues(schema.enum)
  const { type } = schema
  if (type === 'array') return `${simpleType(asSchema(schema.items).type)}[]`
  return Array.isArray(type) ? type.slice(0, maxListedValues).map(simpleType).join(' | ') : simpleType(type)
}

function listValues(values: readonly unknown[]): string {
  const isSimple = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
  const shown = values.slice(0, maxListedValues).filter(isSimple)
  const words = shown.map((value) => cutText(JSON.stringify(value), maxNameLength))
  return [...words, ...(shown.length < values.length ? ['…'] : [])].join(' | ')
}

const simpleTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

const simpleType = (type: unknown): string => (simpleTypes.has(type) ? String(type) : 'any')

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
