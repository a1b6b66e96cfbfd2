// Reads the operator's policy file, `RUNWRIGHT_TOOL_POLICY`. A mistake in it stops the start: a rule that is silently not
// in force would be worse.
import { z } from 'zod'
import { describeIssue } from '../../domain/json/describe-issue.ts'
import { readJsonFile } from '../../runtime/json-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { defaultPolicy, type PolicyRules } from './policy.ts'

const setting = 'RUNWRIGHT_TOOL_POLICY'
const toolPattern = /^(?:\*|[A-Za-z0-9_-]{1,64}(?:\.(?:\*|[A-Za-z0-9_.-]{1,128}))?)$/

const rules = z.record(z.string(), z.enum(['allow', 'ask', 'deny']))
const bookSchema = z.strictObject({ tools: rules.default({}), customers: z.record(z.string(), rules).default({}) })

export function readPolicy(path: string | undefined): PolicyRules {
  if (path === undefined) return defaultPolicy
  const value = readJsonFile(setting, path)
  const read = bookSchema.safeParse(value)
  if (!read.success) throw refusal(path, describeIssue({ error: read.error, value }))
  const { tools, customers } = read.data
  const names = [tools, ...Object.values(customers)].flatMap((part) => Object.keys(part))
  const unfit = names.find((name) => !toolPattern.test(name))
  if (unfit !== undefined) throw refusal(path, `${JSON.stringify(unfit)} must be the name of a tool, "server.*" or "*"`)
  return read.data
}

const refusal = (path: string, problem: string): SettingsError =>
  new SettingsError(`${setting}: in ${path}, ${problem}.`)
