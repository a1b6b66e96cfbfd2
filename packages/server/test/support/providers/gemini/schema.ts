// The Schema of the Gemini API: a part of OpenAPI 3.0. Fields that it does not know are refused, not ignored.
import { isObject } from '../json.ts'
import { Refusal } from '../refusal.ts'
import type { JsonObject } from '../script.ts'

const fields = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
  'minimum',
  'maximum',
]
const types = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']

export function checkSchema(schema: unknown, path: string): void {
  if (!isObject(schema)) throw new Refusal(`Invalid value at '${path}', expected a Schema.`)
  const unknown = Object.keys(schema).find((field) => !fields.includes(field))
  if (unknown !== undefined) {
    throw new Refusal(`Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`)
  }
  const type = checkType(schema, path)
  const refuse = (field: string, rule: string): never => {
    throw new Refusal(`* GenerateContentRequest.${path}.${field}: ${rule}`)
  }
  if (type === 'ARRAY' && schema.items === undefined) refuse('items', 'missing field.')
  if (type === 'OBJECT' && isEmpty(schema.properties)) refuse('properties', 'should be non-empty for OBJECT type')
  if (schema.enum !== undefined && type !== 'STRING') refuse('enum', 'only allowed for STRING type')
  if (type === 'STRING' && ![undefined, 'enum', 'date-time'].includes(schema.format as string)) {
    refuse('format', "only 'enum' and 'date-time' are supported for STRING type")
  }
  const required = Array.isArray(schema.required) ? schema.required : []
  const undefinedAt = required.findIndex((name) => !isObject(schema.properties) || !(String(name) in schema.properties))
  if (undefinedAt !== -1) refuse(`required[${undefinedAt}]`, 'property is not defined')
  checkChildren(schema, path)
}

const isEmpty = (properties: unknown): boolean => !isObject(properties) || Object.keys(properties).length === 0

function checkType({ type, anyOf }: JsonObject, path: string): string | undefined {
  if (type === undefined && anyOf !== undefined) return undefined
  const name = typeof type === 'string' ? type.toUpperCase() : undefined
  if (name !== undefined && types.includes(name)) return name
  throw new Refusal(
    `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.Type), ${JSON.stringify(type)}`,
  )
}

function checkChildren(schema: JsonObject, path: string): void {
  if (schema.items !== undefined) checkSchema(schema.items, `${path}.items`)
  const { properties, anyOf } = schema
  if (isObject(properties)) {
    for (const [name, child] of Object.entries(properties)) checkSchema(child, `${path}.properties[${name}]`)
  }
  if (Array.isArray(anyOf)) for (const [at, child] of anyOf.entries()) checkSchema(child, `${path}.any_of[${at}]`)
}
