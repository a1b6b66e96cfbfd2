// An error of a JSON Schema as an issue of zod: tools have schemas of both kinds, and models are told of both alike.
import type { z } from 'zod'
import type { SchemaError } from '../../runtime/schemas/schema-job.ts'

type Issue = z.core.$ZodRawIssue

/** Converts to a zod issue, which `describeIssue` can turn into a sentence. */
export function toIssue({ instancePath, keyword, params, message }: SchemaError, input: unknown): Issue {
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
