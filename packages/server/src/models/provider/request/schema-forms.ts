// The forms of JSON Schema that structured output needs. Providers enforce a schema only if every object in it is
// closed.

import { jsonTextKeyword } from '../../port/model.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * Whether every object lists its properties and none takes others. Anthropic closes open objects, which changes them.
 */
export const isClosed = (schema: unknown): boolean => everySchema(schema, (node) => !isOpenObject(node))

/** Whether OpenAI's strict mode takes it: closed, with all properties required, and with no keyword it refuses. */
export const isStrict = (schema: unknown): boolean =>
  isObject(schema) &&
  schema.type === 'object' &&
  schema.anyOf === undefined &&
  isClosed(schema) &&
  everySchema(schema, (node) => hasStrictObject(node) && !refusedKeywords.some((keyword) => keyword in node))

function isOpenObject({ type, properties, additionalProperties, patternProperties }: Schema): boolean {
  if (patternProperties !== undefined) return true
  if (additionalProperties === true || isObject(additionalProperties)) return true
  return hasType(type, 'object') && properties === undefined && additionalProperties !== false
}

function hasStrictObject({ type, properties = {}, required = [], additionalProperties }: Schema): boolean {
  if (!hasType(type, 'object')) return true
  const names = Object.keys(properties as object)
  const needed = new Set(required as unknown[])
  return additionalProperties === false && names.every((name) => needed.has(name))
}

const hasType = (type: unknown, name: string): boolean => (Array.isArray(type) ? type.includes(name) : type === name)

const refusedKeywords = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'minProperties', 'maxProperties', 'contains'],
  ...['minContains', 'maxContains', 'uniqueItems', 'default'],
]

/** The schema with a text in the place of each value that its reader takes as JSON in a text. */
export const withJsonTexts = (schema: unknown): unknown => mapMarked(schema, () => jsonText)

/** The schema as providers get it. */
export const withoutMarks = (schema: unknown): unknown =>
  mapMarked(schema, ({ [jsonTextKeyword]: _, ...plain }) => plain)

const jsonText = { type: 'string', description: 'A JSON object, as text' }

function mapMarked(schema: unknown, change: (node: Schema) => Schema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => mapMarked(item, change))
  if (!isObject(schema)) return schema
  if (schema[jsonTextKeyword] === true) return change(schema)
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, mapMarked(value, change)]))
}

const mapKeywords = ['properties', '$defs', 'definitions', 'patternProperties']
const listKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const schemaKeywords = ['items', 'additionalProperties', 'not', 'if', 'then', 'else']

function everySchema(schema: unknown, holds: (node: Schema) => boolean): boolean {
  if (!isObject(schema)) return true
  const inside = [
    ...mapKeywords.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
    ...listKeywords.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...schemaKeywords.map((keyword) => schema[keyword]),
  ]
  return holds(schema) && inside.every((child) => everySchema(child, holds))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
