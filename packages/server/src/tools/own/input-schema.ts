// The input schema of an operator's tool: JSON Schema, so that a tool needs no package, or a zod schema.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { z } from 'zod'
import { compileSchema } from '../../domain/json/compile-schema.ts'
import type { Tool } from '../port/tool.ts'

type JsonSchema = Readonly<Record<string, unknown>>
type Issue = z.core.$ZodRawIssue

/** The error message of an invalid schema completes a sentence. */
export function readInputSchema(given: object): Required<Pick<Tool, 'input' | 'inputSchema'>> {
  const written = isZodSchema(given) ? z.toJSONSchema(given, { target: 'draft-7', io: 'input' }) : (given as JsonSchema)
  if (written.type !== 'object') throw new Error('its type must be "object"')
  const { $schema: _, ...inputSchema } = written
  return { input: isZodSchema(given) ? given : validatedBy(compile(given as JsonSchema)), inputSchema }
}

/** Not by `instanceof`: the schema may come from another copy of zod. */
const isZodSchema = (given: object): given is z.ZodType => '_zod' in given && 'safeParseAsync' in given

// Strict mode reports mistyped keywords. `format` is an annotation for models, which is the default of the standard.
const options: Options = {
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  useDefaults: true,
  validateFormats: false,
  logger: false,
}

function compile(schema: JsonSchema): ValidateFunction {
  const isDraft7 = String(schema.$schema ?? '').includes('draft-07')
  return isDraft7 ? new Ajv(options).compile(schema) : compileSchema(schema, options)
}

const validatedBy = (validate: ValidateFunction): z.ZodType =>
  z.unknown().transform((value, context) => {
    // ajv fills in defaults in place, and the original is journaled.
    const input = structuredClone(value)
    if (validate(input)) return input
    for (const error of validate.errors ?? []) context.issues.push(toIssue(error, value))
    return z.NEVER
  })

/** Converts to a zod issue, which `describeIssue` can turn into a sentence. */
function toIssue({ instancePath, keyword, params, message }: ErrorObject, input: unknown): Issue {
  const path = readPointer(instancePath)
  switch (keyword) {
    case 'required':
      return { code: 'custom', input, path: [...path, params.missingProperty], message: 'is required' }
    case 'additionalProperties':
      return { code: 'unrecognized_keys', input: Object(input), path, keys: [params.additionalProperty] }
    case 'enum':
      return { code: 'invalid_value', input, path, values: params.allowedValues }
    case 'type':
      return { code: 'invalid_type', input, path, expected: nameType(params.type) }
    default:
      return { code: 'custom', input, path, message: (message ?? 'is invalid').replace('NOT', 'not') }
  }
}

const nameType = (type: string | readonly string[]): string =>
  typeof type !== 'string' ? type.join(' or ') : type === 'integer' ? 'int' : type

const readPointer = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))
