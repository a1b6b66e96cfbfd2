// Replaces `${NAME}` in the configuration of an MCP server with environment variables, so that the file needs no
// secrets, and sets the environment of its program.
import { secretsIn } from '../../domain/secrets/named-secrets.ts'
import { childEnvironment } from './child-environment.ts'
import type { HttpEndpoint, McpServerConfig, StdioEndpoint } from './config.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Refuse = (problem: string) => never

export function fillReferences(config: McpServerConfig, env: Environment, refuse: Refuse): McpServerConfig {
  const location = `mcpServers.${config.name}`
  const secrets: string[] = []
  const fill: Fill = (text, field) =>
    text.replace(reference, (_, name: string) => {
      const value = env[name]
      secrets.push(...secretsIn(name, value ?? ''))
      return value ?? refuse(`${location}.${field} refers to the environment variable ${name}, which is not set`)
    })
  const { endpoint } = config
  if (endpoint.kind === 'stdio') {
    const filled = fillStdio(endpoint, fill)
    const inEnv = Object.entries(filled.env).flatMap((entry) => secretsIn(...entry))
    return {
      ...config,
      endpoint: { ...filled, env: childEnvironment(filled.env, env) },
      secrets: [...secrets, ...inEnv],
    }
  }
  const filled = fillHttp(endpoint, fill)
  if (!isServerUrl(filled.url)) refuse(`${location}.url must be an http or https URL without a user name or password`)
  const header = Object.entries(filled.headers).find((entry) => !isHeader(entry))
  if (header) refuse(`${location}.headers.${header[0]} is not a valid HTTP header`)
  const inHeaders = Object.entries(filled.headers).flatMap((entry) => secretsIn(...entry))
  return { ...config, endpoint: filled, secrets: [...secrets, ...inHeaders] }
}

type Fill = (text: string, field: string) => string

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

const fillStdio = (endpoint: StdioEndpoint, fill: Fill): StdioEndpoint => ({
  ...endpoint,
  command: fill(endpoint.command, 'command'),
  args: endpoint.args.map((arg, index) => fill(arg, `args[${index}]`)),
  env: fillAll(endpoint.env, 'env', fill),
  cwd: endpoint.cwd === undefined ? undefined : fill(endpoint.cwd, 'cwd'),
})

const fillHttp = (endpoint: HttpEndpoint, fill: Fill): HttpEndpoint => ({
  ...endpoint,
  url: fill(endpoint.url, 'url'),
  headers: fillAll(endpoint.headers, 'headers', fill),
})

const fillAll = (texts: Readonly<Record<string, string>>, field: string, fill: Fill): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, `${field}.${name}`)]))

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  // fetch rejects a URL with credentials; `headers` can carry them.
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isHeader([name, value]: [string, string]): boolean {
  try {
    return new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}
