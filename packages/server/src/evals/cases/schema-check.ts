// The checks `schema` and `matches`: both compare the result with a JSON Schema, on another thread. The result comes
// from a model, and the pattern of a case may take long for it.
import { describeSchemaErrors } from '../../domain/json/describe-schema-errors.ts'
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'
import { describeCompileProblem, describeSchemaEnd } from '../../runtime/schemas/describe-schema-end.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { Check } from './check.ts'

type Compared = Pick<Check, 'schema' | 'matches'>

const caller = { customerId: 'eval' }

const schemaOf = ({ schema, matches }: Compared) => schema ?? (matches === undefined ? undefined : { pattern: matches })

/** The text to compile. Undefined if the check has no schema, or one that was refused when it was read. */
function textOf(check: Compared): string | undefined {
  const schema = schemaOf(check)
  const read = schema && readOutputSchema(schema)
  return read && !isSchemaProblem(read) ? read.text : undefined
}

/** What is wrong with the check; a clause that begins with its field. */
export async function findCheckProblem(check: Compared, schemas: SchemaThreads): Promise<string | undefined> {
  const schema = textOf(check)
  const outcome = schema === undefined ? 'compiled' : await schemas.compile({ kind: 'output', schema }, caller)
  if (outcome === 'compiled') return undefined
  const problem = describeCompileProblem(outcome)
  return check.schema === undefined
    ? `matches must be a regular expression in RE2 syntax (${problem})`
    : `schema cannot be used: ${problem}`
}

/** What is wrong with the result; undefined: it matches. */
export async function findMismatch(
  check: Compared,
  value: unknown,
  schemas: SchemaThreads,
): Promise<string | undefined> {
  const outcome = await schemas.check({ kind: 'output', schema: textOf(check) ?? 'false' }, value, caller)
  if ('problem' in outcome) return outcome.problem
  if ('ended' in outcome) return `the result cannot be checked: ${describeSchemaEnd(outcome.ended)}`
  return outcome.errors.length === 0 ? undefined : describeSchemaErrors(outcome.errors)
}
