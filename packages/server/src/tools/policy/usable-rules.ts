// Finds the rules of a run whose `approval_schema` cannot be used: they deny, as rules that cannot be read do. A schema
// is compiled on another thread, so this happens before the run decides about its calls.
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'
import { SchemaSums } from '../../domain/json/schema-sums.ts'
import type { SchemaCaller, SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { ruleWithApproval } from './policy.ts'

type Metadata = Readonly<Record<string, unknown>>

interface Compiling {
  readonly schemas: Pick<SchemaThreads, 'compile'>
  readonly caller: SchemaCaller
}

/** The metadata of the run, in which those rules are "deny". */
export async function usableRules(metadata: Metadata, compiling: Compiling): Promise<Metadata> {
  const { tool_policy: rules } = metadata
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return metadata
  const sums = new SchemaSums()
  const denied: [name: string, rule: 'deny'][] = []
  for (const [name, rule] of Object.entries(rules)) {
    const schema = ruleWithApproval.safeParse(rule).data?.approval_schema
    if (schema !== undefined && !(await isUsable(schema, sums, compiling))) denied.push([name, 'deny'])
  }
  return denied.length === 0 ? metadata : { ...metadata, tool_policy: { ...rules, ...Object.fromEntries(denied) } }
}

async function isUsable(given: unknown, sums: SchemaSums, { schemas, caller }: Compiling): Promise<boolean> {
  const schema = readOutputSchema(given)
  if (isSchemaProblem(schema) || sums.add(schema) !== undefined) return false
  return (await schemas.compile({ kind: 'output', schema: schema.text }, caller)) === 'compiled'
}
