// Checks the script of the sandbox, and reads the schemas of the answers that it asks for.
import { describeIssue, type SandboxScript, sandboxScriptSchema } from '@runwright/contract'
import { isSchemaProblem, readOutputSchema } from '../json/output-schema.ts'
import { SchemaSums } from '../json/schema-sums.ts'
import { describeSchemaProblem, type SchemaToCompile } from '../json/schema-to-compile.ts'
import { ServiceError } from '../service-error.ts'

type Input = Readonly<Record<string, unknown>>

/** Throws `INPUT_PAYLOAD_INVALID`. Yields after each schema: to read all of them can take longer than a turn. */
export function* readSandboxScript(input: Input): Generator<void, readonly SchemaToCompile[]> {
  const { steps = [] } = checkScript(input)
  const read: SchemaToCompile[] = []
  const sums = new SchemaSums()
  for (const [index, { await: wait }] of steps.entries()) {
    if (wait?.approval_schema === undefined) continue
    const at = ['input', 'sandbox', 'steps', index, 'await', 'approval_schema']
    const schema = readOutputSchema(wait.approval_schema)
    if (isSchemaProblem(schema)) throw invalid(describeSchemaProblem(at, schema))
    const refuse = (problem: string) => invalid(describeSchemaProblem(at, { at: [], problem }))
    const tooLarge = sums.add(schema)
    if (tooLarge !== undefined) throw refuse(tooLarge)
    read.push({ text: schema.text, refuse })
    yield
  }
  return read
}

function checkScript(input: Input): SandboxScript {
  if (!Object.hasOwn(input, 'sandbox')) return {}
  const parsed = sandboxScriptSchema.safeParse(input.sandbox)
  if (parsed.success) return parsed.data
  throw invalid(describeIssue({ error: parsed.error, value: input.sandbox, at: ['input', 'sandbox'] }))
}

const invalid = (problem: string): ServiceError => new ServiceError('INPUT_PAYLOAD_INVALID', `${problem}.`)
