// The input schema of an operator's tool: JSON Schema, so that a tool needs no package, or a zod schema. Models write
// the input, so a JSON Schema is compiled and checked on another thread, with limits. A zod schema is code of the
// operator, and is executed like the tool itself.
import { z } from 'zod'
import { describeCompileProblem, describeSchemaEnd } from '../../runtime/schemas/describe-schema-end.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { toIssue } from '../port/schema-issue.ts'
import type { Tool } from '../port/tool.ts'

type JsonSchema = Readonly<Record<string, unknown>>
type Issue = z.core.$ZodRawIssue

interface Checking {
  readonly schemas: Pick<SchemaThreads, 'compile' | 'check'>
  /** The name of the tool. */
  readonly name: string
}

/** The error message of an invalid schema completes a sentence. */
export async function readInputSchema(
  given: object,
  checking: Checking,
): Promise<Required<Pick<Tool, 'input' | 'inputSchema'>>> {
  const written = isZodSchema(given) ? z.toJSONSchema(given, { target: 'draft-7', io: 'input' }) : (given as JsonSchema)
  if (written.type !== 'object') throw new Error('its type must be "object"')
  const { $schema: _, ...inputSchema } = written
  return { input: isZodSchema(given) ? given : await compile(given, checking), inputSchema }
}

/** Not by `instanceof`: the schema may come from another copy of zod. */
const isZodSchema = (given: object): given is z.ZodType => '_zod' in given && 'safeParseAsync' in given

async function compile(given: object, { schemas, name }: Checking): Promise<z.ZodType> {
  const schema = { kind: 'input', schema: JSON.stringify(given) } as const
  // The calls of a tool take turns with those of others.
  const caller = { customerId: `tool ${name}` }
  const compiled = await schemas.compile(schema, caller)
  if (compiled !== 'compiled') throw new Error(describeCompileProblem(compiled))
  return z.unknown().transform(async (value, context) => {
    const outcome = await schemas.check(schema, value, caller)
    if ('errors' in outcome && outcome.errors.length === 0) return outcome.value
    context.issues.push(...issuesOf(outcome, value))
    return z.NEVER
  })
}

function issuesOf(outcome: Awaited<ReturnType<Checking['schemas']['check']>>, input: unknown): Issue[] {
  if ('errors' in outcome) return outcome.errors.map((error) => toIssue(error, input))
  const why = 'problem' in outcome ? outcome.problem : describeSchemaEnd(outcome.ended)
  return [{ code: 'custom', input, path: [], message: `cannot be checked: ${why}` }]
}
