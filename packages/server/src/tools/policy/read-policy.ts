// Reads the operator's policy file, `RUNWRIGHT_TOOL_POLICY`. The service does not start with an invalid file, because a
// rule that is silently ignored would be worse.
import { describeIssue, policyRules } from '@runwright/contract'
import { z } from 'zod'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { isSchemaProblem, readOutputSchema } from '../../domain/json/output-schema.ts'
import { describeSchemaProblem } from '../../domain/json/schema-to-compile.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { defaultPolicy, type PolicyRules, ruleWithApproval } from './policy.ts'

export const policySetting = 'RUNWRIGHT_TOOL_POLICY'
const toolPattern = /^(?:\*|[A-Za-z0-9_-]{1,64}(?:\.(?:\*|[A-Za-z0-9_.-]{1,128}))?)$/

const rules = z.record(z.string(), z.union([z.enum(policyRules), ruleWithApproval]))
const policySchema = z.strictObject({ tools: rules.default({}), customers: z.record(z.string(), rules).default({}) })

export function readPolicy(path: string | undefined): PolicyRules {
  if (path === undefined) return defaultPolicy
  const value = readJsonFile(policySetting, path, parseConfigJson)
  const read = policySchema.safeParse(value)
  if (!read.success) throw policyRefusal(path, describeIssue({ error: read.error, value }))
  const { tools, customers } = read.data
  const names = [tools, ...Object.values(customers)].flatMap((part) => Object.keys(part))
  const invalid = names.find((name) => !toolPattern.test(name))
  if (invalid !== undefined)
    throw policyRefusal(path, `${JSON.stringify(invalid)} must be a tool name, "server.*" or "*"`)
  for (const { name, schema } of policySchemas(read.data)) {
    const problem = readOutputSchema(schema)
    if (isSchemaProblem(problem))
      throw policyRefusal(path, `${name}.${describeSchemaProblem(['approval_schema'], problem)}`)
  }
  return read.data
}

/** The schemas of answers, with the names of their rules. */
export const policySchemas = ({ tools, customers }: PolicyRules) =>
  [tools, ...Object.values(customers)].flatMap((part) =>
    Object.entries(part).flatMap(([name, rule]) => {
      const schema = typeof rule === 'object' ? rule.approval_schema : undefined
      return schema === undefined ? [] : [{ name, schema }]
    }),
  )

export const policyRefusal = (path: string, problem: string): SettingsError =>
  new SettingsError(`${policySetting}: in ${path}, ${problem}.`)
