// Compiles the output schemas of a run that is to be created, or of a plan that is to be followed, on another thread.
import type { ReasonCode } from '@runwright/contract'
import type { SchemaToCompile } from '../domain/json/schema-to-compile.ts'
import { ServiceError } from '../domain/service-error.ts'
import { describeCompileProblem } from '../runtime/schemas/describe-schema-end.ts'
import {
  type CompileOutcome,
  maxJobSeconds,
  type SchemaCaller,
  type SchemaThreads,
} from '../runtime/schemas/schema-threads.ts'

export type SchemaCompiler = Pick<SchemaThreads, 'compile'>

type End = Extract<CompileOutcome, { ended: unknown }>['ended']

interface Passing {
  readonly reason: ReasonCode
  readonly problem: string
  readonly retryAfterSeconds: number
}

/** A schema that was measured takes a fraction of a second, so a timeout says more about the machine than about it. */
const passing: Partial<Record<End, Passing>> = {
  queue_full: {
    reason: 'RATE_LIMITED',
    problem: 'Too many output schemas wait to be compiled',
    retryAfterSeconds: 1,
  },
  timed_out: {
    reason: 'OVERLOADED',
    problem: `The service could not compile an output schema within ${maxJobSeconds} seconds`,
    retryAfterSeconds: 5,
  },
  aborted: { reason: 'SHUTTING_DOWN', problem: 'The service is shutting down', retryAfterSeconds: 1 },
}

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
  const later = 'ended' in outcome ? passing[outcome.ended] : undefined
  if (!later) return refuse(`cannot be used: ${describeCompileProblem(outcome)}`)
  return new ServiceError(later.reason, `${later.problem}. Nothing was written. Try again.`, later.retryAfterSeconds)
}
