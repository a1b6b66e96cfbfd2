// The part of JSON Schema that OpenAI takes, for strict structured outputs and for plain function parameters.
import { isObject } from './json.ts'
import type { JsonObject } from './script.ts'
import { schemaProblem } from './valid-schema.ts'

// From OpenAI's structured outputs guide; `default` is refused although it constrains nothing.
const refusedKeywords = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'minProperties',
  'maxProperties',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'default',
]
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const deepestLevel = 10
const mostProperties = 5_000

type Path = readonly string[]

/** What is wrong with the schema in strict mode; undefined: nothing. */
export function strictSchemaProblem(schema: JsonObject): string | undefined {
  if (schema.type !== 'object') return notAnObject(schema)
  if (schema.anyOf !== undefined) return "schema must have type 'object' and not have 'anyOf' at the top level."
  const count = { properties: 0 }
  const problem = nodeProblem(schema, [], 0, count)
  if (problem !== undefined) return problem
  if (count.properties > mostProperties)
    return `Expected at most ${mostProperties} properties, got ${count.properties}.`
  return brokenSchema(schema)
}

/** What is wrong with parameters of a function that is not strict. */
export function functionSchemaProblem(schema: JsonObject): string | undefined {
  if (schema.type !== 'object') return notAnObject(schema)
  if (!isObject(schema.properties)) return 'In context=(), object schema missing properties.'
  return brokenSchema(schema)
}

const notAnObject = ({ type }: JsonObject): string =>
  `schema must be a JSON Schema of 'type: "object"', got 'type: "${type ?? 'None'}"'.`

function nodeProblem(node: unknown, path: Path, level: number, count: { properties: number }): string | undefined {
  if (!isObject(node)) return `${context(path)} schema must be an object.`
  if (level > deepestLevel) return `${context(path)} ${deepestLevel} levels of nesting exceeded.`
  const refused = refusedKeywords.find((keyword) => node[keyword] !== undefined)
  if (refused !== undefined) return `${context(path)} '${refused}' is not permitted.`
  if (node.format !== undefined && !formats.includes(String(node.format))) {
    return `${context(path)} '${node.format}' is not a valid format.`
  }
  const own = typesOf(node).includes('object') ? objectProblem(node, path, count) : arrayProblem(node, path)
  return own ?? childrenProblem(node, path, level, count)
}

function objectProblem(node: JsonObject, path: Path, count: { properties: number }): string | undefined {
  if (node.additionalProperties !== false) {
    return `${context(path)} 'additionalProperties' is required to be supplied and to be false.`
  }
  const names = Object.keys(isObject(node.properties) ? node.properties : {})
  count.properties += names.length
  const required = Array.isArray(node.required) ? node.required : []
  const missing = names.find((name) => !required.includes(name))
  const rule = "'required' is required to be supplied and to be an array including every key in properties."
  if (missing !== undefined) return `${context(path)} ${rule} Missing '${missing}'.`
  const extra = required.find((name) => !names.includes(name))
  return extra === undefined ? undefined : `${context(path)} ${rule} Extra required key '${extra}' supplied.`
}

function arrayProblem(node: JsonObject, path: Path): string | undefined {
  if (typesOf(node).includes('array') && node.items === undefined) return `${context(path)} array schema missing items.`
  const isTyped = ['type', '$ref', 'anyOf', 'enum', 'const'].some((keyword) => node[keyword] !== undefined)
  return isTyped ? undefined : `${context(path)} schema must have a 'type' key.`
}

function childrenProblem(node: JsonObject, path: Path, level: number, count: { properties: number }) {
  for (const [keyword, child, deeper] of children(node)) {
    const problem = nodeProblem(child, [...path, ...keyword], level + deeper, count)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Each schema inside this one, how to get there, and whether that is a level of nesting. */
function* children(node: JsonObject): Generator<[path: Path, child: unknown, deeper: number]> {
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = node[keyword]
    if (isObject(named)) for (const [name, child] of Object.entries(named)) yield [[keyword, name], child, 1]
  }
  if (node.items !== undefined) yield [['items'], node.items, 1]
  const branches = Array.isArray(node.anyOf) ? node.anyOf : []
  for (const [at, child] of branches.entries()) yield [['anyOf', `${at}`], child, 0]
}

const typesOf = ({ type }: JsonObject): unknown[] => (Array.isArray(type) ? type : [type])

const context = (path: Path): string => `In context=(${path.map((step) => `'${step}'`).join(', ')}),`

function brokenSchema(schema: JsonObject): string | undefined {
  const problem = schemaProblem(schema)
  return problem && `it is not a valid JSON Schema: ${problem}.`
}
