// The MCP servers of this process as a source of tools. They are independent: a broken one does not affect the others.
import type { Logger } from '../../runtime/logger.ts'
import type { Tool, ToolSource } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'
import { McpServer } from './server.ts'
import type { ToolPins } from './tool-pins.ts'

const defaultResponseTimeoutMs = 30_000

interface McpServersOptions {
  readonly logger: Logger
  readonly pins: ToolPins
  readonly responseTimeoutMs?: number
}

export class McpServers implements ToolSource {
  readonly #servers: readonly McpServer[]

  constructor(configs: readonly McpServerConfig[], options: McpServersOptions) {
    const responseTimeoutMs = defaultResponseTimeoutMs
    this.#servers = configs.map((config) => new McpServer({ config, responseTimeoutMs, ...options }))
  }

  /** Returns at once and connects in the background. */
  start(): void {
    for (const server of this.#servers) server.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  /** Offers refused tools again once the operator has accepted them. */
  async recheck(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.recheck()))
  }

  tools(): readonly Tool[] {
    return this.#servers.flatMap((server) => server.tools)
  }

  find(name: string): Tool | undefined {
    const dot = name.indexOf('.')
    return this.#servers.find((server) => server.name === name.slice(0, dot))?.find(name.slice(dot + 1))
  }
}
