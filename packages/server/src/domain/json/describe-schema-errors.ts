// What is wrong with a value, as one line for a model: the errors that the validator of a schema found.
import type { ErrorObject } from 'ajv'

export type SchemaError = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>

export const describeSchemaErrors = (errors: readonly SchemaError[]): string => errors.map(showError).join('; ')

function showError({ instancePath, keyword, params, message }: SchemaError): string {
  const place = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') return `${place} has an unknown property "${params.additionalProperty}"`
  if (keyword === 'enum') return `${place} must be one of ${JSON.stringify(params.allowedValues)}`
  return `${place} ${message ?? 'is invalid'}`
}
