// One MCP server: keeps a connection to it, lists its tools, and makes their calls.
//
//   starting ──► connected ──► disconnected ──► connected …
//       └──────────────────────▲
//
// Reconnects forever, with growing pauses. The tools of the last list stay known while the server is disconnected, also
// over a restart: steps wait for them, and models are offered no fewer tools than before. Until the first list, the
// names in `allow` are used instead.
import { once } from 'node:events'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { cutText, showName } from '@runwright/contract'
import { SecretTexts } from '../../domain/secrets/secret-texts.ts'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import type { Logger } from '../../runtime/logger.ts'
import { sentLateMessage } from '../port/look-before-writes.ts'
import { type Tool, type ToolAbsence, ToolDenied } from '../port/tool.ts'
import { chooseTools } from './choose-tools.ts'
import { allowsTool, type McpServerConfig } from './config.ts'
import type { Session } from './session.ts'
import { type ListedTool, type McpCall, toTool } from './to-tool.ts'
import type { ToolPins } from './tool-pins.ts'

interface McpServerOptions {
  readonly config: McpServerConfig
  readonly logger: Logger
  readonly pins: ToolPins
  /** How long the server may take for the handshake and to list its tools. */
  readonly responseTimeoutMs: number
  readonly onChange?: () => void
}

/** Why a server is not connected, and the last lines that its program wrote to its standard error. */
export interface McpProblem {
  readonly reason: string
  readonly stderr: readonly string[]
}

export interface McpServerState {
  readonly name: string
  readonly isConnected: boolean
  /** How many tools it has, or had when it was last connected. */
  readonly tools: number
  /** Why it is not connected, after the first attempt. */
  readonly problem?: McpProblem
}

const backoff = { firstMs: 500, maxMs: 30_000 }
// After a connection that lasted this long, reconnecting starts with short pauses again.
const stableMs = 60_000
const maxDetailLength = 1_000
/** Of the standard error, for the operator. */
const maxKeptLines = 10

export class McpServer {
  readonly #options: McpServerOptions
  readonly #logger: Logger
  readonly #secrets: SecretTexts
  readonly #stopping = new AbortController()
  /** Aborts when the first attempt to connect has succeeded or failed. */
  readonly #attempted = new AbortController()
  /** Aborts when its tools are known, from the database or from the server, or the first attempt has failed. */
  readonly #known = new AbortController()
  #running: Promise<void> | undefined
  #mode: 'legacy' | 'auto' = 'legacy'
  #session: Session | undefined
  #closeReason: string | undefined
  /** The last lines that the program has written to its standard error. */
  #stderr: readonly string[] = []
  #listing: Promise<unknown> = Promise.resolve()
  #listed: ReadonlyMap<string, ListedTool> = new Map()
  #hasListed = false
  #warnings = ''
  #changes = ''
  #tools: readonly Tool[] = []
  /** The names of tools that have changed on a pinned server. */
  #refused: ReadonlySet<string> = new Set()

  constructor(options: McpServerOptions) {
    const { config, logger } = options
    this.#options = options
    this.#logger = logger.child({ mcpServer: config.name })
    this.#secrets = new SecretTexts(config.secrets)
    this.#setTools(chooseTools(config, [...(config.allow ?? [])].map(unlistedTool)).tools)
  }

  get name(): string {
    return this.#options.config.name
  }

  /** Without refused tools, so that no model reads their descriptions. */
  get tools(): readonly Tool[] {
    return this.#tools.filter(({ name }) => !this.#refused.has(name.slice(this.name.length + 1)))
  }

  /** `tool` is the name on the server. Before the first list, returns a tool for every name that may exist. */
  find(tool: string): Tool | undefined {
    const { config } = this.#options
    const known = this.#tools.find(({ name }) => name === `${config.name}.${tool}`)
    if (known || this.#hasListed || !allowsTool(config, tool)) return known
    return toTool(unlistedTool(tool), config, (call) => this.#call(call))
  }

  get state(): McpServerState {
    const isConnected = this.#session !== undefined
    const reason = isConnected ? undefined : this.#closeReason
    return {
      name: this.name,
      isConnected,
      tools: this.#tools.length,
      ...(reason !== undefined && { problem: { reason, stderr: this.#stderr } }),
    }
  }

  whenListed(signal: AbortSignal): Promise<void> {
    return until(this.#known.signal, signal)
  }

  whenTried(signal: AbortSignal): Promise<void> {
    return until(this.#attempted.signal, signal)
  }

  absence(tool: string): ToolAbsence | undefined {
    const { config } = this.#options
    if (!allowsTool(config, tool)) return undefined
    if (this.#refused.has(tool)) return { kind: 'refused', message: this.#refusal(tool).message }
    if (this.#session === undefined) return { kind: 'away', message: this.#notConnected() }
    if (this.#listed.has(tool)) return undefined
    return { kind: 'unknown', message: `The MCP server ${showName(config.name)} has no tool ${showName(tool)}.` }
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when the connection is closed and the server's program, if it has one, has exited. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Lists the tools again if some are refused: the operator may have accepted them meanwhile. */
  async recheck(): Promise<void> {
    if (this.#refused.size === 0 || this.#session === undefined) return
    await this.#list(this.#session).catch((error) => this.#warnOfListFailure(error))
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    await this.#recall()
    for (let attempts = 0; !signal.aborted; attempts += 1) {
      const session = await this.#newSession()
      if (signal.aborted) return
      const start = performance.now()
      const error = await this.#connect(session)
      if (signal.aborted) return
      this.#onDisconnected(error)
      if (performance.now() - start > stableMs) attempts = 0
      await sleep(backoffMs(attempts, backoff), signal)
    }
  }

  /** Takes the last list that a worker has stored, so that a restart does not take the tools away. */
  async #recall(): Promise<void> {
    const { config, pins } = this.#options
    try {
      const { tools, changed } = await pins.lastListed(config)
      if (tools.length === 0) return
      this.#setTools(chooseTools(config, tools).tools)
      this.#refused = new Set(config.pin ? changed : [])
      this.#known.abort()
    } catch (error) {
      this.#logger.warn({ err: error }, 'the stored tools of the MCP server cannot be read')
    }
  }

  async #newSession(): Promise<Session> {
    this.#stderr = []
    const { Session } = await import('./session.ts')
    const { config, responseTimeoutMs } = this.#options
    return new Session({
      config,
      responseTimeoutMs,
      mode: this.#mode,
      secrets: this.#secrets,
      onStderrLine: (line) => this.#logStderr(line),
      onSentLate: () => this.#logger.warn(sentLateMessage),
      onToolsChanged: (session) => void this.#list(session).catch((error) => this.#warnOfListFailure(error)),
    })
  }

  /** Resolves with the reason when the connection has ended. */
  async #connect(session: Session): Promise<Error> {
    const end = () => void session.close()
    this.#stopping.signal.addEventListener('abort', end)
    try {
      await session.open()
      await this.#list(session)
      this.#onConnected(session)
      return new Error(await session.ended)
    } catch (error) {
      // A server may support only one of the two modes.
      this.#mode = this.#mode === 'legacy' ? 'auto' : 'legacy'
      return error as Error
    } finally {
      this.#session = undefined
      this.#stopping.signal.removeEventListener('abort', end)
      await session.close()
    }
  }

  #onConnected(session: Session): void {
    this.#session = session
    this.#closeReason = undefined
    this.#endAttempt()
    this.#logger.info({ tools: this.#tools.length }, 'MCP server connected')
  }

  #endAttempt(): void {
    this.#known.abort()
    this.#attempted.abort()
    this.#options.onChange?.()
  }

  /** Logs the first failure only: the later ones say nothing new. */
  #onDisconnected(error: Error): void {
    if (this.#closeReason === undefined) {
      const stderr = this.#stderr.length > 0 ? this.#stderr : undefined
      this.#logger.warn({ ...this.#logFields(error), stderr }, 'MCP server not connected; retrying')
    }
    this.#closeReason = this.#secrets.scrub(error.message)
    this.#endAttempt()
  }

  /** One list at a time, so that an older list never replaces a newer one. */
  #list(session: Session): Promise<void> {
    const listed = this.#listing.then(async () => {
      const { config, pins } = this.#options
      const { tools, warnings } = chooseTools(config, await session.listTools())
      const changed = await pins.findChanged(config, [...tools.values()])
      this.#setTools(tools)
      this.#refused = new Set(config.pin ? changed : [])
      this.#warnOfChanges(changed)
      this.#hasListed = true
      this.#warnOnce(warnings)
    })
    this.#listing = listed.catch(() => undefined)
    return listed
  }

  #setTools(listed: ReadonlyMap<string, ListedTool>): void {
    const { config } = this.#options
    this.#listed = listed
    this.#tools = [...listed.values()].map((tool) => toTool(tool, config, (call) => this.#call(call)))
  }

  #warnOnce(warnings: readonly string[]): void {
    if (warnings.join() === this.#warnings) return
    this.#warnings = warnings.join()
    this.#logger.warn({ warnings }, 'MCP server does not match its config')
  }

  #warnOfChanges(changed: readonly string[]): void {
    if (changed.join() === this.#changes) return
    this.#changes = changed.join()
    if (changed.length === 0) return
    const action = this.#options.config.pin ? 'they are refused until an operator accepts them' : 'they stay available'
    this.#logger.warn({ tools: changed }, `MCP server tools differ from those first seen; ${action}`)
  }

  #warnOfListFailure(error: Error): void {
    this.#logger.warn(this.#logFields(error), 'MCP server tools changed, but they could not be listed')
  }

  /** Not the error itself: the error of a program that did not start has its arguments, which may be secrets. */
  #logFields({ message, cause }: Error) {
    const { scrub } = this.#secrets
    return {
      reason: scrub(message),
      detail: cause instanceof Error ? cutText(scrub(cause.message), maxDetailLength) : undefined,
    }
  }

  #logStderr(line: string): void {
    const stderr = cutText(this.#secrets.scrub(line), maxDetailLength)
    this.#stderr = [...this.#stderr, stderr].slice(-maxKeptLines)
    this.#logger.debug({ stderr }, 'MCP server stderr')
  }

  async #call(call: McpCall): Promise<CallToolResult> {
    await this.whenTried(call.signal)
    if (this.#refused.has(call.tool)) throw this.#refusal(call.tool)
    if (this.#session) return this.#session.call(call, this.#listed.get(call.tool))
    throw new Error(this.#notConnected())
  }

  #notConnected(): string {
    const server = `The MCP server ${showName(this.#options.config.name)}`
    // While a lost session is being closed, its reason is not known yet.
    const reason = this.#closeReason ?? 'the connection was lost'
    return `${server} is not connected (${reason}). The service keeps reconnecting; try again later.`
  }

  #refusal(tool: string): ToolDenied {
    const { name } = this.#options.config
    return new ToolDenied(
      'denied_by_policy',
      `The MCP server ${showName(name)} has changed the tool ${showName(tool)}, and the server is pinned. ` +
        `An operator can accept the change: runwright mcp accept ${name}.`,
    )
  }
}

const until = async (aborted: AbortSignal, signal: AbortSignal): Promise<void> => {
  if (!aborted.aborted) await once(aborted, 'abort', { signal })
}

/** A tool that the server has not listed yet. */
const unlistedTool = (name: string): ListedTool => ({ name, inputSchema: { type: 'object' } })
