// Reads the output schemas of a plan that is to be accepted.
import { isSchemaProblem, readOutputSchema } from '../json/output-schema.ts'
import { SchemaSums } from '../json/schema-sums.ts'
import { describeSchemaProblem, type SchemaToCompile } from '../json/schema-to-compile.ts'
import type { ResolvedPlan, ResolvedStep } from './plan.ts'
import { planError } from './refuse-plan.ts'

/** Throws `INPUT_PLAN_INVALID`. Yields after each schema: to read all of them can take longer than a turn. */
export function* readPlanSchemas({ steps }: ResolvedPlan): Generator<void, readonly SchemaToCompile[]> {
  const read: SchemaToCompile[] = []
  const sums = new SchemaSums()
  for (const [index, step] of steps.entries()) {
    const position = { index, id: step.id }
    for (const [field, given] of schemasOf(step)) {
      const schema = readOutputSchema(given)
      if (isSchemaProblem(schema)) throw planError(position, describeSchemaProblem([field], schema))
      const tooLarge = sums.add(schema)
      if (tooLarge !== undefined) throw planError(position, `its ${field} ${tooLarge}`)
      read.push({ text: schema.text, refuse: (problem) => planError(position, `${field} ${problem}`) })
      yield
    }
  }
  return read
}

function* schemasOf(step: ResolvedStep): Generator<readonly [field: string, schema: unknown]> {
  if (step.kind === 'agent' && step.outputSchema !== undefined) yield ['output_schema', step.outputSchema]
  if (step.approval?.approval_schema !== undefined) yield ['approval_schema', step.approval.approval_schema]
}
