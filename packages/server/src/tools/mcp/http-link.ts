// Speaks MCP with a server over streamable HTTP. The SDK opens broken streams again where the server can replay them; what it does
// not do is to end calls when the server is gone or has forgotten the session: they would wait for their whole time.
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import { Agent, fetch as fetchWith } from 'undici'
import { sleep } from '../../runtime/backoff.ts'
import type { HttpReach } from './config.ts'
import type { Link } from './link.ts'
import { type Fetch, watchFetch } from './watch-fetch.ts'

const connectTimeoutMs = 10_000
const farewellMs = 1_000
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
}

export class HttpLink implements Link {
  readonly transport: StreamableHTTPClientTransport
  // A call may take longer than the five minutes after which fetch gives up by itself; calls have a time of their own.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } })
  #loss: string | undefined
  #closing: Promise<void> | undefined

  /** No request stays open for longer than this: a server need not end one that was cancelled. */
  constructor({ url, headers }: HttpReach, requestTimeoutMs: number) {
    const fetch = ((address, init) =>
      fetchWith(address as string, { ...(init as object), dispatcher: this.#agent })) as Fetch
    const requestInit = { headers: { ...headers } }
    const watched = watchFetch(fetch, (reason) => this.#lose(reason))
    const options = { requestInit, fetch: watched, reconnectionOptions }
    this.transport = new AnsweringTransport(new URL(url), options, requestTimeoutMs)
  }

  get loss(): string | undefined {
    return this.#loss
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    const farewell = new AbortController()
    const said = this.#loss === undefined ? this.transport.terminateSession() : Promise.resolve()
    // A server that does not take leave forgets the session in its own time.
    void said.catch(() => undefined).then(() => farewell.abort())
    await sleep(farewellMs, farewell.signal)
    await this.transport.close()
    await this.#agent.destroy()
  }

  #lose(reason: string): void {
    this.#loss ??= reason
    void this.transport.close()
  }
}

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>

/** Answers a request itself when the server has ended its stream; if the server had answered, the SDK passes this over. */
class AnsweringTransport extends StreamableHTTPClientTransport {
  readonly #requestTimeoutMs: number

  constructor(url: URL, options: StreamableHTTPClientTransportOptions, requestTimeoutMs: number) {
    super(url, options)
    this.#requestTimeoutMs = requestTimeoutMs
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options: SendOptions = {}): Promise<void> {
    return super.send(message, {
      onRequestStreamEnd: () => this.#endRequest(message),
      ...options,
      requestSignal: options.requestSignal ?? AbortSignal.timeout(this.#requestTimeoutMs),
    })
  }

  #endRequest(message: JSONRPCMessage | JSONRPCMessage[]): void {
    if (!('id' in message && 'method' in message)) return
    const error = { code: -32_000, message: 'The MCP server ended the call without an answer.' }
    this.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
  }
}
