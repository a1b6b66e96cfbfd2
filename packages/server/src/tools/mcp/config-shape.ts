// The schema of the MCP configuration file: the fields that other MCP clients use, and some of Runwright's own.
import { z } from 'zod'
import type { PolicyRule, ToolEffect } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'

const defaultTimeoutSeconds = 60
const maxTimeoutSeconds = 86_400
const effects = ['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]
const policies = ['allow', 'ask', 'deny'] as const satisfies readonly PolicyRule[]

const stringMap = z.record(z.string(), z.string())
const toolNames = z.array(z.string().min(1))

const runwrightFields = {
  allow: toolNames.optional(),
  deny: toolNames.optional(),
  timeout_seconds: z.number().positive().max(maxTimeoutSeconds).optional(),
  effect: perTool(effects).optional(),
  policy: perTool(policies).optional(),
  disabled: z.boolean().optional(),
}

const stdioSchema = z.strictObject({
  type: z.enum(['stdio']).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: stringMap.optional(),
  cwd: z.string().min(1).optional(),
  ...runwrightFields,
})

const httpSchema = z.strictObject({
  // Other clients use different names for the same transport.
  type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
  url: z.string().min(1),
  headers: stringMap.optional(),
  ...runwrightFields,
})

export const fileSchema = z.strictObject({ mcpServers: z.record(z.string(), z.unknown()) })

export const serverSchemas = { command: stdioSchema, url: httpSchema } as const

export type ServerEntry = z.infer<typeof stdioSchema> | z.infer<typeof httpSchema>

export const toConfig = (name: string, entry: ServerEntry): McpServerConfig => ({
  name,
  endpoint: endpointOf(entry),
  timeoutSeconds: entry.timeout_seconds ?? defaultTimeoutSeconds,
  allow: entry.allow && new Set(entry.allow),
  deny: new Set(entry.deny),
  effects: entry.effect ?? new Map(),
  policies: entry.policy ?? new Map(),
})

function endpointOf(entry: ServerEntry): McpServerConfig['endpoint'] {
  if ('url' in entry) return { kind: 'http', url: entry.url, headers: entry.headers ?? {} }
  const { command, args = [], env = {}, cwd } = entry
  return { kind: 'stdio', command, args, env, cwd }
}

/** One value for every tool, or an object of values by tool name. */
function perTool<const Rule extends string>(values: readonly Rule[]) {
  const isRule = (value: unknown): value is Rule => values.some((allowed) => allowed === value)
  const oneOf = `must be one of ${values.map((allowed) => JSON.stringify(allowed)).join(', ')}`
  return z.unknown().transform((value, context): ReadonlyMap<string, Rule> => {
    if (isRule(value)) return new Map([['*', value]])
    const named = stringMap.safeParse(value)
    if (!named.success) context.addIssue({ code: 'custom', message: `${oneOf}, or an object that names tools` })
    const rules = Object.entries(named.data ?? {})
    for (const [tool, rule] of rules) {
      if (!isRule(rule)) context.addIssue({ code: 'custom', path: [tool], message: oneOf })
    }
    return new Map(rules.filter((entry): entry is [string, Rule] => isRule(entry[1])))
  })
}
