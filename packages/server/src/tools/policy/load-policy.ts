// Reads the operator's policy file and compiles its schemas, on another thread. A schema that cannot be used must not
// be found at the first question, when a person has answered it.
import { readOutputSchema } from '../../domain/json/output-schema.ts'
import { describeCompileProblem } from '../../runtime/schemas/describe-schema-end.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { PolicyRules } from './policy.ts'
import { policyRefusal, policySchemas, policySetting, readPolicy } from './read-policy.ts'

/** Rejects with a `SettingsError`. */
export async function loadPolicy(
  path: string | undefined,
  schemas: Pick<SchemaThreads, 'compile'>,
): Promise<PolicyRules> {
  const policy = readPolicy(path)
  for (const { name, schema } of policySchemas(policy)) {
    const read = readOutputSchema(schema)
    if (!('text' in read)) continue
    const outcome = await schemas.compile({ kind: 'output', schema: read.text }, { customerId: policySetting })
    if (outcome !== 'compiled')
      throw policyRefusal(path ?? '', `${name}.approval_schema cannot be used: ${describeCompileProblem(outcome)}`)
  }
  return policy
}
