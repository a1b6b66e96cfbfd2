// One connection to an MCP server, from the handshake to its end. All that needs the SDK hangs on this file, which is loaded only
// when there is a server to connect to: the SDK takes a quarter of a second.
import { type CallToolResult, Client, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import { showName } from '../../domain/text.ts'
import { version } from '../../runtime/version.ts'
import type { McpServerConfig } from './config.ts'
import { createLink } from './create-link.ts'
import type { Link } from './link.ts'
import { listTools } from './list-tools.ts'
import { describeLoss } from './loss-reason.ts'
import type { ListedTool, McpCall } from './to-tool.ts'

export interface SessionOptions {
  readonly config: McpServerConfig
  /** `legacy`: the handshake that all but the newest servers know. `auto`: the newest first. */
  readonly mode: 'legacy' | 'auto'
  readonly answerMs: number
  /** Gets what a program writes to its standard error. */
  readonly hear: (line: string) => void
  readonly onToolsChanged: (session: Session) => void
}

// Calls are ended by their signal; the SDK's own limit must only be later.
const longestCallMs = 2 ** 31 - 1

export class Session {
  /** Resolves with the reason. */
  readonly ended: Promise<string>
  readonly #options: SessionOptions
  readonly #link: Link
  readonly #client: Client
  #hasEnded = false

  constructor(options: SessionOptions) {
    const { config, mode, answerMs, hear, onToolsChanged } = options
    this.#options = options
    this.#link = createLink(config, hear)
    this.#client = new Client(
      { name: 'runwright', version },
      {
        versionNegotiation: { mode, probe: { timeoutMs: answerMs } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => onToolsChanged(this) } },
      },
    )
    this.ended = new Promise((resolve) => {
      this.#client.onclose = () => {
        this.#hasEnded = true
        resolve(this.#loss)
      }
    })
  }

  /** Rejects with the reason in words. */
  async open(): Promise<void> {
    await this.#explained(this.#client.connect(this.#link.transport, { timeout: this.#options.answerMs }))
  }

  listTools(): Promise<ListedTool[]> {
    return this.#explained(listTools(this.#client, { timeout: this.#options.answerMs }))
  }

  /** Rejects with what the agent is told. */
  async call({ tool, input, meta, signal }: McpCall, definition: ListedTool | undefined): Promise<CallToolResult> {
    const params = { name: tool, arguments: { ...input }, _meta: { ...meta } }
    // Without its output schema the SDK takes the result as it is: a call that took place does not fail for its form.
    const { outputSchema: _, ...toolDefinition } = definition ?? {
      name: tool,
      inputSchema: { type: 'object' as const },
    }
    try {
      return await this.#client.callTool(params, { signal, timeout: longestCallMs, toolDefinition })
    } catch (error) {
      throw new Error(this.#describeFailure(error), { cause: error })
    }
  }

  /** At any time, also while it opens. */
  close(): Promise<void> {
    return this.#link.close()
  }

  get #loss(): string {
    return this.#link.loss ?? 'its connection was closed'
  }

  async #explained<Value>(asked: Promise<Value>): Promise<Value> {
    try {
      return await asked
    } catch (error) {
      throw new Error(this.#link.loss ?? describeLoss(error), { cause: error })
    }
  }

  #describeFailure(error: unknown): string {
    const server = `The MCP server ${showName(this.#options.config.name)}`
    if (this.#hasEnded) return `${server} was lost during the call (${this.#loss}).`
    if (error instanceof ProtocolError) return error.message
    if (error instanceof SdkHttpError) return `${server} answered ${error.status}.`
    return `${server} gave no answer that could be read.`
  }
}
