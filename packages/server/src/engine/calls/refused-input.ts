// Checks the input of a call before a person is asked about it: a call that cannot be made needs no approval.
import { describeInputIssues, findInputIssues } from '../../tools/port/check-input.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { PreparedCall } from './prepared-call.ts'

/** What is wrong with the input, as a sentence; undefined: nothing. Sensitive values do not appear in it. */
export async function refusedInput(
  { run, parts, signal }: ExecutionContext,
  { tool, input }: Pick<PreparedCall, 'tool' | 'input'>,
): Promise<string | undefined> {
  const caller = { customerId: run.customerId, signal }
  const issues = tool ? await findInputIssues(tool, input, { schemas: parts.schemas, caller }) : []
  throwIfAborted(signal)
  if (issues.length === 0) return undefined
  const problem = `${describeInputIssues(issues, input)}.`
  return run.secrets?.scrubText(problem) ?? problem
}
