// What is wrong with a value, as one line for a model: the errors that the validator of a schema found.
import { cutText } from '@runwright/contract'
import type { ErrorObject } from 'ajv'

export type SchemaError = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>

/** The values of an enum, and names of properties that a model invents, may be long. */
const maxShownLength = 1_000

export const describeSchemaErrors = (errors: readonly SchemaError[]): string =>
  errors.map((error) => cutText(showError(error), maxShownLength)).join('; ')

function showError({ instancePath, keyword, params, message }: SchemaError): string {
  const place = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') return `${place} has an unknown property "${params.additionalProperty}"`
  if (keyword === 'enum') return `${place} must be one of ${JSON.stringify(params.allowedValues)}`
  return `${place} ${message ?? 'is invalid'}`
}
