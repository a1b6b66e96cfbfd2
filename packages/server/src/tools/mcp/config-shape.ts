// The shape of the file that lists MCP servers: what other MCP clients read, and fields of our own.
import { z } from 'zod'
import type { PolicyRule, ToolEffect } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'

export const defaultTimeoutSeconds = 60
const longestTimeoutSeconds = 86_400
const effects = ['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]
const policies = ['allow', 'ask', 'deny'] as const satisfies readonly PolicyRule[]

const texts = z.record(z.string(), z.string())
const toolNames = z.array(z.string().min(1))

const ours = {
  allow: toolNames.optional(),
  deny: toolNames.optional(),
  timeout_seconds: z.number().positive().max(longestTimeoutSeconds).optional(),
  effect: perTool(effects).optional(),
  policy: perTool(policies).optional(),
  disabled: z.boolean().optional(),
}

const stdioSchema = z.strictObject({
  type: z.enum(['stdio']).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  cwd: z.string().min(1).optional(),
  ...ours,
})

const httpSchema = z.strictObject({
  // Other clients agree on the transport, not on its name.
  type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
  url: z.string().min(1),
  headers: texts.optional(),
  ...ours,
})

export const fileSchema = z.strictObject({ mcpServers: z.record(z.string(), z.unknown()) })

export const serverSchemas = { command: stdioSchema, url: httpSchema } as const

export type WrittenServer = z.infer<typeof stdioSchema> | z.infer<typeof httpSchema>

export const toConfig = (name: string, written: WrittenServer): McpServerConfig => ({
  name,
  reach: reachOf(written),
  timeoutSeconds: written.timeout_seconds ?? defaultTimeoutSeconds,
  allow: written.allow && new Set(written.allow),
  deny: new Set(written.deny),
  effects: written.effect ?? new Map(),
  policies: written.policy ?? new Map(),
})

function reachOf(written: WrittenServer): McpServerConfig['reach'] {
  if ('url' in written) return { kind: 'http', url: written.url, headers: written.headers ?? {} }
  const { command, args = [], env = {}, cwd } = written
  return { kind: 'stdio', command, args, env, cwd }
}

/** One word for every tool, or an object of words by tool. */
function perTool<const Rule extends string>(words: readonly Rule[]) {
  const isRule = (value: unknown): value is Rule => words.some((word) => word === value)
  const oneOf = `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`
  return z.unknown().transform((value, context): ReadonlyMap<string, Rule> => {
    if (isRule(value)) return new Map([['*', value]])
    const named = texts.safeParse(value)
    if (!named.success) context.addIssue({ code: 'custom', message: `${oneOf}, or an object that names tools` })
    const rules = Object.entries(named.data ?? {})
    for (const [tool, rule] of rules) {
      if (!isRule(rule)) context.addIssue({ code: 'custom', path: [tool], message: oneOf })
    }
    return new Map(rules.filter((entry): entry is [string, Rule] => isRule(entry[1])))
  })
}
