// Fills `${NAME}` from the environment into what is said of an MCP server, so that secrets stay out of the file, and gives a
// program the environment it will run in.
import { childEnvironment } from './child-environment.ts'
import type { HttpReach, McpServerConfig, StdioReach } from './config.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Refuse = (problem: string) => never

export function fillReferences(config: McpServerConfig, env: Environment, refuse: Refuse): McpServerConfig {
  const place = `mcpServers.${config.name}`
  const fill: Fill = (text, field) =>
    text.replace(reference, (_, name: string) => {
      const value = env[name]
      return value ?? refuse(`${place}.${field} names the environment variable ${name}, which is not set`)
    })
  const { reach } = config
  if (reach.kind === 'stdio') {
    const filled = fillStdio(reach, fill)
    return { ...config, reach: { ...filled, env: childEnvironment(filled.env, env) } }
  }
  const filled = fillHttp(reach, fill)
  if (!isAddress(filled.url)) refuse(`${place}.url must be an http or https URL without a user name`)
  const header = Object.entries(filled.headers).find((entry) => !isHeader(entry))
  if (header) refuse(`${place}.headers.${header[0]} cannot be sent as an HTTP header`)
  return { ...config, reach: filled }
}

type Fill = (text: string, field: string) => string

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

const fillStdio = (reach: StdioReach, fill: Fill): StdioReach => ({
  ...reach,
  command: fill(reach.command, 'command'),
  args: reach.args.map((arg, index) => fill(arg, `args[${index}]`)),
  env: fillAll(reach.env, 'env', fill),
  cwd: reach.cwd === undefined ? undefined : fill(reach.cwd, 'cwd'),
})

const fillHttp = (reach: HttpReach, fill: Fill): HttpReach => ({
  ...reach,
  url: fill(reach.url, 'url'),
  headers: fillAll(reach.headers, 'headers', fill),
})

const fillAll = (texts: Readonly<Record<string, string>>, field: string, fill: Fill): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, `${field}.${name}`)]))

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  // Fetch refuses a URL with a password; `headers` can carry one.
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isHeader([name, value]: [string, string]): boolean {
  try {
    return new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}
