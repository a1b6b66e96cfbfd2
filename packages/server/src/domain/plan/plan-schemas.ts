// Reads the output schemas of a plan that is to be accepted. Each one is small; together they may be too large.
import { isSchemaProblem, type OutputSchema, readOutputSchema } from '../json/output-schema.ts'
import { describeSchemaProblem, type SchemaToCompile } from '../json/schema-to-compile.ts'
import type { ResolvedPlan } from './plan.ts'
import { planError, refusePlan, type StepPosition } from './refuse-plan.ts'

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
    if (step.kind !== 'agent' || step.outputSchema === undefined) continue
    const position = { index, id: step.id }
    const schema = readOutputSchema(step.outputSchema)
    if (isSchemaProblem(schema)) return refusePlan(position, describeSchemaProblem(['output_schema'], schema))
    add(sums, schema, position)
    read.push({ text: schema.text, refuse: (problem) => planError(position, `output_schema ${problem}`) })
    yield
  }
  return read
}

function add(sums: Sums, { parts, patternSize, text }: OutputSchema, position: StepPosition): void {
  sums.parts += parts
  sums.patternSize += patternSize
  sums.length += text.length
  const exceeded = (Object.keys(maxTogether) as (keyof Sums)[]).find((sum) => sums[sum] > maxTogether[sum])
  if (exceeded === undefined) return
  const limit = maxTogether[exceeded].toLocaleString('en')
  refusePlan(
    position,
    `its output_schema and those of earlier steps have more than ${limit} ${words[exceeded]} together`,
  )
}
