// The schema of the MCP configuration file: the fields that other MCP clients use, and some of Runwright's own.
import { policyRules, toolEffects } from '@runwright/contract'
import { z } from 'zod'
import type { Exposure } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'

const defaultTimeoutSeconds = 60
const maxTimeoutSeconds = 86_400
const exposures = {
  reads_private: 'readsPrivate',
  takes_untrusted: 'takesUntrusted',
  sends_out: 'sendsOut',
} as const satisfies Record<string, keyof Exposure>

const stringMap = z.record(z.string(), z.string())
const toolNames = z.array(z.string().min(1))

const runwrightFields = {
  allow: toolNames.optional(),
  deny: toolNames.optional(),
  timeout_seconds: z.number().positive().max(maxTimeoutSeconds).optional(),
  effect: perTool(oneOf(toolEffects)).optional(),
  errors: perTool(oneOf(['before_effect'])).optional(),
  policy: perTool(oneOf(policyRules)).optional(),
  exposure: perTool(exposureList()).optional(),
  pin: z.boolean().optional(),
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
  errors: entry.errors ?? new Map(),
  policies: entry.policy ?? new Map(),
  exposures: entry.exposure ?? new Map(),
  secrets: [],
  pin: entry.pin === true,
})

function endpointOf(entry: ServerEntry): McpServerConfig['endpoint'] {
  if ('url' in entry) return { kind: 'http', url: entry.url, headers: entry.headers ?? {} }
  const { command, args = [], env = {}, cwd } = entry
  return { kind: 'stdio', command, args, env, cwd }
}

/** Reads one value; undefined if it is not valid. `expected` continues a sentence that begins with the field. */
interface RuleShape<Rule> {
  readonly expected: string
  read(value: unknown): Rule | undefined
}

function oneOf<const Word extends string>(words: readonly Word[]): RuleShape<Word> {
  const expected = `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`
  return { expected, read: (value) => words.find((word) => word === value) }
}

function exposureList(): RuleShape<Exposure> {
  const words = Object.keys(exposures) as (keyof typeof exposures)[]
  const read = (value: unknown): Exposure | undefined => {
    if (!Array.isArray(value) || !value.every((word) => words.includes(word))) return undefined
    return Object.fromEntries(words.map((word) => [exposures[word], value.includes(word)]))
  }
  return { expected: `must be a list of ${words.map((word) => JSON.stringify(word)).join(', ')}`, read }
}

/** One value for every tool, or an object of values by tool name. */
function perTool<Rule>({ expected, read }: RuleShape<Rule>) {
  return z.unknown().transform((value, context): ReadonlyMap<string, Rule> => {
    const rule = read(value)
    if (rule !== undefined) return new Map([['*', rule]])
    const named = z.record(z.string(), z.unknown()).safeParse(value)
    if (!named.success) context.addIssue({ code: 'custom', message: `${expected}, or an object that names tools` })
    const rules = Object.entries(named.data ?? {}).map(([tool, own]) => [tool, read(own)] as const)
    for (const [tool, own] of rules) {
      if (own === undefined) context.addIssue({ code: 'custom', path: [tool], message: expected })
    }
    return new Map(rules.filter((entry): entry is [string, Rule & {}] => entry[1] !== undefined))
  })
}
