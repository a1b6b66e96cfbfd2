// Checks the input of a call against the tool's schema.
import { describeIssue } from '../../domain/json/describe-issue.ts'
import type { Tool } from './tool.ts'

type CheckedInput = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly problem: string }

/** `problem` is a sentence that names the field and never repeats its value. */
export async function checkInput(tool: Tool, input: unknown): Promise<CheckedInput> {
  const checked = await tool.input.safeParseAsync(input)
  if (checked.success) return { ok: true, input: checked.data }
  return { ok: false, problem: `${describeIssue({ error: checked.error, value: input, at: ['input'] })}.` }
}
