// A JSON Schema that a client gives for a model's output: checked once, compiled, and bounded. A hostile schema must
// not be able to hold the process, so references are inlined and may not recurse, patterns run on a linear-time engine,
// and what cannot be bounded (`uniqueItems`) is told to the model but not checked.
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import { RE2JS } from 're2js'
import { compileSchema } from './compile-schema.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface OutputSchema {
  /** As it was given, for the provider and the prompt. */
  readonly schema: JsonSchema
  /** How many schemas it consists of, after all references are inlined. */
  readonly parts: number
  /** What is wrong with a value, as one line; undefined: it matches. */
  findProblem(value: unknown): string | undefined
}

const maxSchemaLength = 32_768
const maxParts = 500
const maxShownProblems = 5

/** The compiled schema, or the sentence that says what is wrong with it. */
export function readOutputSchema(given: unknown): OutputSchema | string {
  if (!isSchema(given)) return 'must be a JSON Schema object'
  if (JSON.stringify(given).length > maxSchemaLength) return `is longer than ${maxSchemaLength} characters`
  const inlined = inline(given)
  return typeof inlined === 'string' ? inlined : compile(given, inlined)
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const engine = Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' })

function linearPattern(pattern: string) {
  const compiled = RE2JS.compile(pattern)
  // Ajv tells patterns apart by their text.
  return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
}

const options: Options = {
  strict: false,
  validateFormats: false,
  allErrors: false,
  logger: false,
  // Optimized code would take three times as long to compile, and runs once or twice.
  code: { regExp: engine as never, optimize: false },
}

function compile(schema: JsonSchema, { inlined, parts }: Inlined): OutputSchema | string {
  try {
    const validate = compileSchema(inlined, options)
    return { schema, parts, findProblem: (value) => problemOf(validate, value) }
  } catch (error) {
    return `cannot be used: ${error instanceof Error ? error.message.slice(0, 200) : 'it is invalid'}`
  }
}

function problemOf(validate: ValidateFunction, value: unknown): string | undefined {
  if (validate(value)) return undefined
  return (validate.errors ?? []).slice(0, maxShownProblems).map(showError).join('; ')
}

function showError({ instancePath, keyword, params, message }: ErrorObject): string {
  const place = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') return `${place} has an unknown property "${params.additionalProperty}"`
  if (keyword === 'enum') return `${place} must be one of ${JSON.stringify(params.allowedValues)}`
  return `${place} ${message ?? 'is invalid'}`
}

class Refused extends Error {}

interface Inlined {
  readonly inlined: JsonSchema
  readonly parts: number
}

/**
 * The schema without references; a sentence when it has too many parts or a reference that leads nowhere or in a
 * circle.
 */
function inline(schema: JsonSchema): Inlined | string {
  let parts = 0
  const walk = (node: unknown, trail: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => walk(item, trail))
    if (!isSchema(node)) return node
    parts += 1
    if (parts > maxParts) throw new Refused(`has more than ${maxParts} parts`)
    if (typeof node.$ref === 'string') return follow(node.$ref, node, trail)
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]) =>
        unchecked.has(key) ? [] : [[key, literal.has(key) ? value : walk(value, trail)]],
      ),
    )
  }
  const follow = (reference: string, node: JsonSchema, trail: readonly string[]): unknown => {
    if (trail.includes(reference)) throw new Refused(`refers to itself through ${JSON.stringify(reference)}`)
    const { $ref: _, ...beside } = node
    return walk({ ...targetOf(schema, reference), ...beside }, [...trail, reference])
  }
  try {
    return { inlined: walk(schema, []) as JsonSchema, parts }
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

/** Left out of the check: definitions are inlined, `uniqueItems` can't be bounded. */
const unchecked: ReadonlySet<string> = new Set(['$defs', 'definitions', '$schema', '$id', '$anchor', 'uniqueItems'])
/** Values, not schemas. */
const literal: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type'])

function targetOf(schema: JsonSchema, reference: string): JsonSchema {
  const [, root, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? []
  const definitions = root === undefined ? undefined : schema[root]
  const target = isSchema(definitions) && name !== undefined ? definitions[unescapePointer(name)] : undefined
  if (!isSchema(target)) throw new Refused(`has a reference that leads nowhere: ${JSON.stringify(reference)}`)
  return target
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
