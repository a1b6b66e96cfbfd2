// MCP servers for tests: the public `server-everything` as a program and over HTTP, a stub of our own, and calls of
// their tools.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../src/runtime/logger.ts'
import { readMcpConfig } from '../../src/tools/mcp/read-config.ts'
import { McpServers } from '../../src/tools/mcp/servers.ts'
import type { ToolPins } from '../../src/tools/mcp/tool-pins.ts'
import { ToolCatalogue } from '../../src/tools/port/catalogue.ts'
import { invokeTool } from '../../src/tools/port/invoke.ts'
import type { ToolCallContext, ToolResult } from '../../src/tools/port/tool.ts'
import { Occurrences } from './occurrences.ts'
import { toolContext } from './tool-context.ts'

const everythingProgram = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

export const everything = { command: process.execPath, args: [everythingProgram, 'stdio'] }

export const stub = (...words: string[]) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'mcp-stub.mjs'), ...words],
})

/** Lends a config file with these servers to the service, which reads it once, at start. */
export async function withMcpConfig<Value>(
  mcpServers: Readonly<Record<string, object>>,
  use: (path: string) => Promise<Value>,
): Promise<Value> {
  const { path, remove } = writeMcpConfig(mcpServers)
  return use(path).finally(remove)
}

function writeMcpConfig(mcpServers: Readonly<Record<string, object>>) {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-mcp-'))
  const path = join(folder, 'mcp.json')
  writeFileSync(path, JSON.stringify({ mcpServers }))
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}

// The package listens on all addresses of the machine, and does not say which port it was given.
const onLoopback = `data:text/javascript,
  import net from 'node:net'
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (port, ...rest) {
    this.once('listening', () => console.error('port ' + this.address().port))
    return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...rest)
  }`

export interface HttpServer {
  readonly url: string
  readonly port: number
  kill(signal?: NodeJS.Signals): Promise<void>
}

export async function startEverythingOverHttp(port = 0): Promise<HttpServer> {
  const args = ['--import', onLoopback.replaceAll('\n', '%0A'), everythingProgram, 'streamableHttp']
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const taken = await portOf(child)
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${taken}/mcp`, port: taken, kill }
}

async function portOf(child: ChildProcess): Promise<number> {
  const said = new Occurrences<string>()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.add(text))
  return said.until((texts) => Number(/^port (\d+)$/m.exec(texts.join(''))?.[1]) || undefined)
}

const noPins: ToolPins = { findChanged: async () => [], lastListed: async () => ({ tools: [], changed: [] }) }

/** MCP servers as a worker has them, and what they log. */
export class McpBench {
  readonly servers: McpServers
  readonly #log = new Occurrences<string>()
  readonly #catalogue: ToolCatalogue

  constructor(
    mcpServers: Readonly<Record<string, object>>,
    { responseTimeoutMs = 20_000, env = process.env as Record<string, string | undefined>, pins = noPins } = {},
  ) {
    const { path, remove } = writeMcpConfig(mcpServers)
    const configs = readMcpConfig(path, env)
    remove()
    const stream = { write: (line: string) => this.#log.add(line) }
    this.servers = new McpServers(configs, {
      logger: createLogger({ level: 'debug', stream }),
      pins,
      responseTimeoutMs,
    })
    this.#catalogue = new ToolCatalogue([], [this.servers])
    this.servers.start()
  }

  get names(): string[] {
    return [...this.#catalogue.names]
  }

  offer(name: string) {
    return this.#catalogue.offers([name])[0]
  }

  /** Log lines with this message. */
  logged(message: string): Record<string, unknown>[] {
    return this.#log.all.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith(message))
  }

  /** The n-th log line with this message, counted from 1, once it is there. */
  logs(message: string, n = 1): Promise<Record<string, unknown>> {
    return this.#log.until(() => this.logged(message)[n - 1])
  }

  connected = (times = 1): Promise<unknown> => this.logs('MCP server connected', times)
  away = (): Promise<Record<string, unknown>> => this.logs('MCP server not connected')

  call(name: string, input: unknown = {}, context: Partial<ToolCallContext> = {}): Promise<ToolResult> {
    return invokeTool({
      catalogue: this.#catalogue,
      name,
      input,
      allowed: undefined,
      context: toolContext(context),
    })
  }

  /** The structured content of a call that must succeed. */
  async ask<Value = Record<string, unknown>>(name: string, input: unknown = {}): Promise<Value> {
    const result = await this.call(name, input)
    if (result.outcome !== 'succeeded') throw new Error(JSON.stringify(result))
    return result.output as Value
  }
}

/** A process that has ended but that its parent has not asked about is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(existsSync('/proc') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '')
  } catch {
    return false
  }
}

/** An address at which no server listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}/mcp`
}
