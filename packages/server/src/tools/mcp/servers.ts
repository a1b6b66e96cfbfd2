// The MCP servers of this process as a source of tools. They are independent: a broken one does not affect the others.
import type { Logger } from '../../runtime/logger.ts'
import type { Tool, ToolAbsence, ToolSource } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'
import { McpServer, type McpServerState } from './server.ts'
import type { ToolPins } from './tool-pins.ts'

const defaultResponseTimeoutMs = 30_000

interface McpServersOptions {
  readonly logger: Logger
  readonly pins: ToolPins
  readonly responseTimeoutMs?: number
  /** Is told when a server was connected or lost. */
  readonly onChange?: () => void
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
    return this.#serverOf(name)?.find(toolOf(name))
  }

  async whenListed(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.whenListed(signal)))
  }

  async whenTried(name: string, signal: AbortSignal): Promise<void> {
    await this.#serverOf(name)?.whenTried(signal)
  }

  absence(name: string): ToolAbsence | undefined {
    return this.#serverOf(name)?.absence(toolOf(name))
  }

  /** Which servers this process is connected to. */
  get states(): readonly McpServerState[] {
    return this.#servers.map(({ state }) => state)
  }

  #serverOf(name: string): McpServer | undefined {
    return this.#servers.find((server) => server.name === name.slice(0, name.indexOf('.')))
  }
}

const toolOf = (name: string): string => name.slice(name.indexOf('.') + 1)
