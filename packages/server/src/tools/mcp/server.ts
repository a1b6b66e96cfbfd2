// One MCP server: keeps a connection to it, knows its tools, and makes their calls.
//
//   starting ──► connected ──► away ──► connected …
//       └──────────────────────▲
//
// A server that is away is tried again for ever, more and more slowly. Its tools stay known by its last list, so that a call says
// that the server is away and not that there is no such tool. Until the first list the names of `allow` stand in for it.
import { once } from 'node:events'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { cutText, showName } from '../../domain/text.ts'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Tool } from '../port/tool.ts'
import { chooseTools } from './choose-tools.ts'
import { admitsTool, type McpServerConfig } from './config.ts'
import type { Session } from './session.ts'
import { type ListedTool, type McpCall, toTool } from './to-tool.ts'

export interface McpServerOptions {
  readonly config: McpServerConfig
  readonly logger: Logger
  /** How long the server may take for the handshake and for its list. */
  readonly answerMs: number
}

const backoff = { firstMs: 500, maxMs: 30_000 }
// A connection that lasted this long was a good one: the next failure starts with short pauses again.
const steadyMs = 60_000
const maxDetailLength = 1_000

export class McpServer {
  readonly #options: McpServerOptions
  readonly #logger: Logger
  readonly #stopping = new AbortController()
  /** Aborted once the first try has ended, one way or the other. */
  readonly #tried = new AbortController()
  #running: Promise<void> | undefined
  #mode: 'legacy' | 'auto' = 'legacy'
  #session: Session | undefined
  #loss: string | undefined
  #listing: Promise<unknown> = Promise.resolve()
  #listed: ReadonlyMap<string, ListedTool> = new Map()
  #hasListed = false
  #oddities = ''
  #tools: readonly Tool[] = []

  constructor(options: McpServerOptions) {
    const { config, logger } = options
    this.#options = options
    this.#logger = logger.child({ mcpServer: config.name })
    this.#know(chooseTools(config, [...(config.allow ?? [])].map(standIn)).tools)
  }

  get name(): string {
    return this.#options.config.name
  }

  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** By the server's own name for it. Before the first list every name that may be there is. */
  find(tool: string): Tool | undefined {
    const { config } = this.#options
    const known = this.#tools.find(({ name }) => name === `${config.name}.${tool}`)
    if (known || this.#hasListed || !admitsTool(config, tool)) return known
    return toTool(standIn(tool), config, (call) => this.#call(call))
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when the connection is closed and the server's program, if it has one, has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let tries = 0; !signal.aborted; tries += 1) {
      const session = await this.#newSession()
      if (signal.aborted) return
      const start = performance.now()
      const error = await this.#connect(session)
      if (signal.aborted) return
      this.#fall(error)
      if (performance.now() - start > steadyMs) tries = 0
      await sleep(backoffMs(tries, backoff), signal)
    }
  }

  async #newSession(): Promise<Session> {
    const { Session } = await import('./session.ts')
    const { config, answerMs } = this.#options
    return new Session({
      config,
      answerMs,
      mode: this.#mode,
      hear: (line) => this.#logger.debug({ stderr: line }, 'MCP server says'),
      onToolsChanged: (session) => void this.#list(session).catch((error) => this.#warnOfList(error)),
    })
  }

  /** Resolves when the connection has ended, with the reason. */
  async #connect(session: Session): Promise<Error> {
    const end = () => void session.close()
    this.#stopping.signal.addEventListener('abort', end)
    try {
      await session.open()
      await this.#list(session)
      this.#rise(session)
      return new Error(await session.ended)
    } catch (error) {
      // A server may know only one of the two.
      this.#mode = this.#mode === 'legacy' ? 'auto' : 'legacy'
      return error as Error
    } finally {
      this.#session = undefined
      this.#stopping.signal.removeEventListener('abort', end)
      await session.close()
    }
  }

  #rise(session: Session): void {
    this.#session = session
    this.#loss = undefined
    this.#tried.abort()
    this.#logger.info({ tools: this.#tools.length }, 'MCP server connected')
  }

  /** Logged once: the tries that fail after it say nothing new. */
  #fall(error: Error): void {
    if (this.#loss === undefined) {
      this.#logger.warn(wordsOf(error), 'MCP server away; it is being tried again')
    }
    this.#loss = error.message
    this.#tried.abort()
  }

  /** One after the other: an older list must not come last. */
  #list(session: Session): Promise<void> {
    const listed = this.#listing.then(async () => {
      const { tools, oddities } = chooseTools(this.#options.config, await session.listTools())
      this.#know(tools)
      this.#hasListed = true
      this.#warnOfOddities(oddities)
    })
    this.#listing = listed.catch(() => undefined)
    return listed
  }

  #know(listed: ReadonlyMap<string, ListedTool>): void {
    const { config } = this.#options
    this.#listed = listed
    this.#tools = [...listed.values()].map((tool) => toTool(tool, config, (call) => this.#call(call)))
  }

  #warnOfOddities(oddities: readonly string[]): void {
    if (oddities.join() === this.#oddities) return
    this.#oddities = oddities.join()
    this.#logger.warn({ oddities }, 'MCP server and its config do not fit')
  }

  #warnOfList(error: Error): void {
    this.#logger.warn(wordsOf(error), 'MCP server did not list its changed tools')
  }

  async #call(call: McpCall): Promise<CallToolResult> {
    const tried = this.#tried.signal
    if (!tried.aborted) await once(tried, 'abort', { signal: call.signal })
    if (this.#session) return this.#session.call(call, this.#listed.get(call.tool))
    const server = `The MCP server ${showName(this.#options.config.name)}`
    throw new Error(`${server} is not connected (${this.#loss}); it is being tried again.`)
  }
}

/** Not the error itself: that of a program which could not be started holds its arguments, and they may be secrets. */
const wordsOf = ({ message, cause }: Error) => ({
  reason: message,
  detail: cause instanceof Error ? cutText(cause.message, maxDetailLength) : undefined,
})

const standIn = (name: string): ListedTool => ({ name, inputSchema: { type: 'object' } })
