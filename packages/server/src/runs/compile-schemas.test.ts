import { expect, test } from 'vitest'
import { ServiceError } from '../domain/service-error.ts'
import type { CompileOutcome } from '../runtime/schemas/schema-threads.ts'
import { compileSchemas, type SchemaCompiler } from './compile-schemas.ts'

const schemas = ['1', '2', '3'].map((text) => ({
  text,
  refuse: (problem: string) => new ServiceError('INPUT_PLAN_INVALID', `schema ${text} ${problem}.`),
}))

/** What happens if the second of three schemas has this outcome. */
async function compile(outcome: CompileOutcome) {
  const compiled: string[] = []
  const compiler: SchemaCompiler = {
    compile: async ({ schema }, { customerId }) => {
      compiled.push(`${customerId} ${schema}`)
      return schema === '2' ? outcome : 'compiled'
    },
  }
  const error = await compileSchemas(compiler, schemas, { customerId: 'acme' }).catch((thrown: ServiceError) => thrown)
  return { compiled, error }
}

test('all schemas are compiled, one after another', async () => {
  expect(await compile('compiled')).toEqual({ compiled: ['acme 1', 'acme 2', 'acme 3'], error: undefined })
})

test.each<[CompileOutcome, string, string, number | undefined]>([
  [{ problem: 'it is odd' }, 'INPUT_PLAN_INVALID', 'schema 2 cannot be used: it is odd.', undefined],
  [{ ended: 'crashed' }, 'INPUT_PLAN_INVALID', 'schema 2 cannot be used: this took more than 128 MiB', undefined],
  [{ ended: 'timed_out' }, 'OVERLOADED', 'could not compile an output schema within 5 seconds. Nothing was written', 5],
  [{ ended: 'queue_full' }, 'RATE_LIMITED', 'Too many output schemas wait to be compiled. Nothing was written', 1],
  [{ ended: 'aborted' }, 'SHUTTING_DOWN', 'The service is shutting down. Nothing was written. Try again.', 1],
])('%j ends the request with %s', async (outcome, reason, message, retryAfterSeconds) => {
  const { compiled, error } = await compile(outcome)
  expect(compiled).toHaveLength(2)
  expect(error).toMatchObject({ reason, message: expect.stringContaining(message), retryAfterSeconds })
})
