// Reads the output schemas of a plan that is to be accepted. Each one is small; together they may be too large.
import type { StepPosition } from '@runwright/contract'
import { isSchemaProblem, type OutputSchema, readOutputSchema } from '../json/output-schema.ts'
import { describeSchemaProblem, type SchemaToCompile } from '../json/schema-to-compile.ts'
import type { ResolvedPlan, ResolvedStep } from './plan.ts'
import { planError } from './refuse-plan.ts'

/** In all schemas of a plan, after references are inlined. */
const maxTogether = { parts: 5_000, patternSize: 50_000, length: 1_048_576 }
type Sums = typeof maxTogether

const words: Readonly<Record<keyof Sums, string>> = {
  parts: 'parts',
  patternSize: 'instructions in their patterns',
  length: 'characters',
}

/** Throws `INPUT_PLAN_INVALID`. Yields after each schema: to read all of them can take longer than a turn. */
export function* readPlanSchemas({ steps }: ResolvedPlan): Generator<void, readonly SchemaToCompile[]> {
  const read: SchemaToCompile[] = []
  const sums = { parts: 0, patternSize: 0, length: 0 }
  for (const [index, step] of steps.entries()) {
    const position = { index, id: step.id }
    for (const [field, given] of schemasOf(step)) {
      const schema = readOutputSchema(given)
      if (isSchemaProblem(schema)) throw planError(position, describeSchemaProblem([field], schema))
      add(sums, schema, { field, position })
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

interface Place {
  readonly field: string
  readonly position: StepPosition
}

function add(sums: Sums, { parts, patternSize, text }: OutputSchema, { field, position }: Place): void {
  sums.parts += parts
  sums.patternSize += patternSize
  sums.length += text.length
  const exceeded = (Object.keys(maxTogether) as (keyof Sums)[]).find((sum) => sums[sum] > maxTogether[sum])
  if (exceeded === undefined) return
  const limit = maxTogether[exceeded].toLocaleString('en')
  throw planError(
    position,
    `its ${field} and those of earlier steps have more than ${limit} ${words[exceeded]} together`,
  )
}
