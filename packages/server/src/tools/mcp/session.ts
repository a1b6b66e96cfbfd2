// One MCP session, from the handshake to its end. Only this file's imports load the MCP SDK, and it is imported only
// when there is a server to connect to, because loading the SDK takes 250 ms.
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { cutText, showName } from '@runwright/contract'
import type { SecretTexts } from '../../domain/secrets/secret-texts.ts'
import { version } from '../../runtime/version.ts'
import { RedirectRefused } from '../../runtime/within-origin.ts'
import { withoutEffect } from '../port/tool.ts'
import type { McpServerConfig } from './config.ts'
import type { Connection } from './connection.ts'
import { guardTransport } from './guard-transport.ts'
import { HttpConnection } from './http-connection.ts'
import { ListTooLarge, listTools } from './list-tools.ts'
import { withLook } from './send-look.ts'
import { type ProgramReports, StdioTransport } from './stdio-transport.ts'
import type { ListedTool, McpCall } from './to-tool.ts'

interface SessionOptions extends ProgramReports {
  readonly config: McpServerConfig
  /** `legacy`: the handshake that all but the newest servers support. `auto`: tries the newest one first. */
  readonly mode: 'legacy' | 'auto'
  readonly responseTimeoutMs: number
  readonly secrets: SecretTexts
  readonly onToolsChanged: (session: Session) => void
}

// Calls end by their signal; the SDK's own timeout must not end them earlier.
const maxTimerMs = 2 ** 31 - 1

export class Session {
  /** Resolves with the reason when the session has ended. */
  readonly ended: Promise<string>
  readonly #options: SessionOptions
  readonly #connection: Connection
  readonly #client: Client
  #hasEnded = false

  constructor(options: SessionOptions) {
    const { config, mode, responseTimeoutMs, onToolsChanged } = options
    this.#options = options
    this.#connection = createConnection(config, options)
    guardTransport(this.#connection.transport, {
      secrets: options.secrets,
      onAbuse: (reason) => this.#connection.end(reason),
    })
    this.#client = new Client(
      { name: 'runwright', version },
      {
        versionNegotiation: { mode, probe: { timeoutMs: responseTimeoutMs } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => onToolsChanged(this) } },
      },
    )
    this.ended = new Promise((resolve) => {
      this.#client.onclose = () => {
        this.#hasEnded = true
        resolve(this.#closeReason)
      }
    })
  }

  /** Rejects with a reason that can be shown to clients. */
  async open(): Promise<void> {
    await this.#withReason(
      this.#client.connect(this.#connection.transport, { timeout: this.#options.responseTimeoutMs }),
    )
  }

  listTools(): Promise<ListedTool[]> {
    return this.#withReason(listTools(this.#client, { timeout: this.#options.responseTimeoutMs }))
  }

  /** Rejects with a message for the agent. */
  async call(
    { tool, input, meta, signal, beforeSend }: McpCall,
    definition: ListedTool | undefined,
  ): Promise<CallToolResult> {
    const params = { name: tool, arguments: { ...input }, _meta: { ...meta } }
    // Without the output schema the SDK does not validate the result: a call that was made must not fail for its
    // format.
    const { outputSchema: _, ...toolDefinition } = definition ?? {
      name: tool,
      inputSchema: { type: 'object' as const },
    }
    try {
      const options = { signal, timeout: maxTimerMs, toolDefinition }
      return await withLook(beforeSend, () => this.#client.callTool(params, options))
    } catch (error) {
      const failure = new Error(this.#describeFailure(error), { cause: error })
      throw wasRefused(error) ? withoutEffect(failure) : failure
    }
  }

  /** May be called at any time, also while `open` is running. */
  close(): Promise<void> {
    return this.#connection.close()
  }

  get #closeReason(): string {
    return this.#connection.closeReason ?? 'the connection was closed'
  }

  async #withReason<Value>(asked: Promise<Value>): Promise<Value> {
    try {
      return await asked
    } catch (error) {
      throw new Error(this.#connection.closeReason ?? describeConnectionError(error), { cause: error })
    }
  }

  #describeFailure(error: unknown): string {
    const server = `The MCP server ${showName(this.#options.config.name)}`
    if (this.#hasEnded) return `${server} disconnected during the call (${this.#closeReason}).`
    if (error instanceof ProtocolError) return error.message
    if (error instanceof SdkHttpError) return `${server} responded with status ${error.status}.`
    if (error instanceof RedirectRefused) return `${server} redirects the call, which is not followed.`
    return `${server} sent an invalid response.`
  }
}

/** JSON-RPC: the message cannot be read or is no request, there is no such method, or its arguments are invalid. */
const refusals: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602])

/** Whether the server says that it has not begun with the call. */
function wasRefused(error: unknown): boolean {
  if (error instanceof ProtocolError) return refusals.has(error.code)
  return error instanceof SdkHttpError && error.status !== undefined && error.status >= 400 && error.status < 500
}

// In addition to the longest call, so that the limit on requests never ends a call early.
const graceSeconds = 60

/** Creates the connection for a server's configuration. Does not connect yet. */
function createConnection({ endpoint, timeoutSeconds }: McpServerConfig, program: ProgramReports): Connection {
  if (endpoint.kind === 'http') return new HttpConnection(endpoint, (timeoutSeconds + graceSeconds) * 1000)
  const transport = new StdioTransport({ ...program, endpoint })
  return {
    transport,
    get closeReason() {
      return transport.exitReason
    },
    end: (reason) => transport.end(reason),
    close: () => transport.close(),
  }
}

const maxReasonLength = 200

/**
 * Why there is no connection: completes the sentence "The server is not connected (…)". Clients may see it, so it
 * contains no paths or addresses.
 */
function describeConnectionError(error: unknown): string {
  if (error instanceof ListTooLarge) return error.message
  if (error instanceof SdkHttpError) return `it responded with status ${error.status}`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'it did not respond in time'
  if (error instanceof ProtocolError) return cutText(`it returned an error: ${error.message}`, maxReasonLength)
  if (error instanceof RedirectRefused) return 'it redirects, which is not followed'
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall?.startsWith('spawn')) return `its program did not start: ${code}`
  return 'its response is not valid MCP'
}
