// Finds the rules of a run whose `approval_schema` cannot be used: they deny, as rules that cannot be read do. A schema
// is compiled on another thread, so this happens before the run decides about its calls. If that ends without a result,
// for example because the machine is busy, nothing is known about the schema, and the rule stays: a person is asked,
// and their answer is checked against the schema.
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'
import { SchemaSums } from '../../domain/json/schema-sums.ts'
import type { SchemaCaller, SchemaEnd, SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { yieldToEventLoop } from '../../runtime/time-slices.ts'
import { ruleWithApproval } from './policy.ts'

type Metadata = Readonly<Record<string, unknown>>

interface Compiling {
  readonly schemas: Pick<SchemaThreads, 'compile'>
  readonly caller: SchemaCaller
  /** The schema in the rule of this name could not be compiled now. */
  readonly onUnchecked: (name: string, end: SchemaEnd) => void
}

/** The metadata of the run, in which those rules are "deny". */
export async function usableRules(metadata: Metadata, compiling: Compiling): Promise<Metadata> {
  const { tool_policy: rules } = metadata
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return metadata
  const sums = new SchemaSums()
  const denied: [name: string, rule: 'deny'][] = []
  for (const [name, rule] of Object.entries(rules)) {
    const schema = ruleWithApproval.safeParse(rule).data?.approval_schema
    if (schema === undefined) continue
    await yieldToEventLoop()
    const end = await tryOut(schema, sums, compiling)
    if (end === 'unusable') denied.push([name, 'deny'])
    else if (end !== 'usable') compiling.onUnchecked(name, end)
  }
  return denied.length === 0 ? metadata : { ...metadata, tool_policy: { ...rules, ...Object.fromEntries(denied) } }
}

async function tryOut(
  given: unknown,
  sums: SchemaSums,
  { schemas, caller }: Compiling,
): Promise<'usable' | 'unusable' | SchemaEnd> {
  if (sums.isExceeded) return 'unusable'
  const schema = readOutputSchema(given)
  if (isSchemaProblem(schema) || sums.add(schema) !== undefined) return 'unusable'
  const outcome = await schemas.compile({ kind: 'output', schema: schema.text }, caller)
  if (outcome === 'compiled') return 'usable'
  return 'problem' in outcome ? 'unusable' : outcome.ended
}
