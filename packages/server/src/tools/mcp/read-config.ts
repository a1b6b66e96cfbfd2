// Reads the file named by `RUNWRIGHT_MCP_CONFIG`. An error names the file, the server and the field, but never repeats
// a value, which may be a secret.
import { describeIssue, showName } from '@runwright/contract'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { McpServerConfig } from './config.ts'
import { fileSchema, type ServerEntry, serverSchemas, toConfig } from './config-shape.ts'
import { type Environment, fillReferences } from './references.ts'

const serverName = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The servers that are not disabled. References are filled in if `env` is given. A process that does not connect to MCP
 * servers omits it, because it may not have the variables.
 */
export function readMcpConfig(path: string | undefined, env?: Environment): readonly McpServerConfig[] {
  if (path === undefined) return []
  const refuse: Refuse = (problem) => {
    throw new SettingsError(`RUNWRIGHT_MCP_CONFIG: in ${path}, ${problem}.`)
  }
  const value = readJsonFile('RUNWRIGHT_MCP_CONFIG', path, parseConfigJson)
  const file = fileSchema.safeParse(value)
  if (!file.success) return refuse(describeIssue({ error: file.error, value }))
  const servers = Object.entries(file.data.mcpServers).map(([name, server]) => readServer(name, server, refuse))
  const enabled = servers.filter(({ entry }) => entry.disabled !== true)
  const configs = enabled.map(({ name, entry }) => toConfig(name, entry))
  return env === undefined ? configs : configs.map((config) => fillReferences(config, env, refuse))
}

type Refuse = (problem: string) => never

function readServer(name: string, value: unknown, refuse: Refuse): { name: string; entry: ServerEntry } {
  if (!serverName.test(name)) refuse(`the server name ${showName(name)} must match ${serverName}`)
  const at = ['mcpServers', name]
  const kinds = (['command', 'url'] as const).filter((kind) => Object.hasOwn(Object(value), kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) return refuse(`${at.join('.')} must have either command or url`)
  const server = serverSchemas[kind].safeParse(value)
  if (!server.success) return refuse(describeIssue({ error: server.error, value, at }))
  return { name, entry: server.data }
}
