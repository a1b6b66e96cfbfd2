// Checks the input of a call against the tool's schema.
import { describeIssues } from '@runwright/contract'
import type { z } from 'zod'
import type { SchemaCaller, SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { toIssue } from './schema-issue.ts'
import type { Tool } from './tool.ts'

type CheckedInput = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly problem: string }

/** `problem` is a sentence that names all fields that are wrong, and never repeats their values. */
export async function checkInput(tool: Tool, input: unknown): Promise<CheckedInput> {
  const checked = await tool.input.safeParseAsync(input)
  if (checked.success) return { ok: true, input: checked.data }
  return { ok: false, problem: `${describeInputIssues(checked.error.issues, input)}.` }
}

type InputIssue = z.core.$ZodIssue

type CheckedTool = Pick<Tool, 'input' | 'inputSchema' | 'isCheckedElsewhere'>

/** The threads that check schemas, and whose turn it is. */
export interface InputChecking {
  readonly schemas: Pick<SchemaThreads, 'check'>
  readonly caller: SchemaCaller
}

/**
 * What is wrong with an input that is not sent yet. Also looks at a schema that only another server checks. Empty if
 * the input matches, and if it cannot be checked here.
 */
export async function findInputIssues(
  tool: CheckedTool,
  input: unknown,
  checking: InputChecking,
): Promise<InputIssue[]> {
  try {
    const { error } = await tool.input.safeParseAsync(input)
    if (error) return error.issues
    return tool.isCheckedElsewhere && tool.inputSchema ? await bySchema(tool.inputSchema, input, checking) : []
  } catch {
    return []
  }
}

/** The schema of another server may use what is not supported here. Then that server decides. */
async function bySchema(
  inputSchema: Readonly<Record<string, unknown>>,
  input: unknown,
  { schemas, caller }: InputChecking,
): Promise<InputIssue[]> {
  const schema = { kind: 'output', schema: JSON.stringify(inputSchema) } as const
  const outcome = await schemas.check(schema, input, caller)
  return 'errors' in outcome ? outcome.errors.map((error) => toIssue(error, input) as InputIssue) : []
}

/** Without a full stop. */
export const describeInputIssues = (issues: readonly InputIssue[], input: unknown): string =>
  describeIssues({ error: { issues }, value: input, at: ['input'] })
