// Compiles the output schemas of a run that is to be created, or of a plan that is to be followed, on another thread.
import type { SchemaToCompile } from '../domain/json/schema-to-compile.ts'
import { ServiceError } from '../domain/service-error.ts'
import { describeCompileProblem } from '../runtime/schemas/describe-schema-end.ts'
import type { CompileOutcome, SchemaCaller, SchemaThreads } from '../runtime/schemas/schema-threads.ts'

export type SchemaCompiler = Pick<SchemaThreads, 'compile'>

const retryAfterSeconds = 1

/** One after another, so that a plan with many schemas takes as many turns. Throws what the first bad one says. */
export async function compileSchemas(
  compiler: SchemaCompiler,
  schemas: readonly SchemaToCompile[],
  caller: SchemaCaller,
): Promise<void> {
  for (const { text, refuse } of schemas) {
    const outcome = await compiler.compile({ kind: 'output', schema: text }, caller)
    if (outcome !== 'compiled') throw refusalOf(outcome, refuse)
  }
}

function refusalOf(outcome: Exclude<CompileOutcome, 'compiled'>, refuse: SchemaToCompile['refuse']): ServiceError {
  const end = 'ended' in outcome ? outcome.ended : undefined
  if (end === 'queue_full') return tooManySchemas()
  if (end === 'aborted')
    return new ServiceError('SHUTTING_DOWN', 'The service is shutting down. Nothing was written. Try again.', 1)
  return refuse(`cannot be used: ${describeCompileProblem(outcome)}`)
}

const tooManySchemas = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    'Too many output schemas wait to be compiled. Nothing was written. Try again.',
    retryAfterSeconds,
  )
