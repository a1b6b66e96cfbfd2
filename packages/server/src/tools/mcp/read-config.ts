// Reads the file of `RUNWRIGHT_MCP_CONFIG`. Whatever is wrong with it is one sentence that names the file, the server and the
// field, and never repeats a value: it may be a secret.
import { describeIssue } from '../../domain/json/describe-issue.ts'
import { showName } from '../../domain/text.ts'
import { readJsonFile } from '../../runtime/json-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { McpServerConfig } from './config.ts'
import { fileSchema, serverSchemas, toConfig, type WrittenServer } from './config-shape.ts'
import { type Environment, fillReferences } from './references.ts'

const serverName = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The servers that are not disabled. With the environment, what the file takes from it is filled in; a process that makes no
 * connections needs none of it, and perhaps does not have it.
 */
export function readMcpConfig(path: string | undefined, env?: Environment): readonly McpServerConfig[] {
  if (path === undefined) return []
  const refuse: Refuse = (problem) => {
    throw new SettingsError(`RUNWRIGHT_MCP_CONFIG: in ${path}, ${problem}.`)
  }
  const value = readJsonFile('RUNWRIGHT_MCP_CONFIG', path)
  const file = fileSchema.safeParse(value)
  if (!file.success) return refuse(describeIssue({ error: file.error, value }))
  const servers = Object.entries(file.data.mcpServers).map(([name, server]) => readServer(name, server, refuse))
  const enabled = servers.filter(({ written }) => written.disabled !== true)
  const configs = enabled.map(({ name, written }) => toConfig(name, written))
  return env === undefined ? configs : configs.map((config) => fillReferences(config, env, refuse))
}

type Refuse = (problem: string) => never

function readServer(name: string, value: unknown, refuse: Refuse): { name: string; written: WrittenServer } {
  if (!serverName.test(name)) refuse(`the server name ${showName(name)} must match ${serverName}`)
  const at = ['mcpServers', name]
  const kinds = (['command', 'url'] as const).filter((kind) => Object.hasOwn(Object(value), kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) return refuse(`${at.join('.')} must have either command or url`)
  const server = serverSchemas[kind].safeParse(value)
  if (!server.success) return refuse(describeIssue({ error: server.error, value, at }))
  return { name, written: server.data }
}
