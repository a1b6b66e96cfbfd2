// A connection to an MCP server over streamable HTTP. The SDK reopens broken streams if the server can replay them, but
// it does not end calls when the server is gone or its session has expired: they would wait until their timeout.
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import { Agent, type Dispatcher, fetch as fetchWith } from 'undici'
import { sleep } from '../../runtime/backoff.ts'
import { withinOrigin } from '../../runtime/within-origin.ts'
import { joinPieces } from '../port/join-pieces.ts'
import { lookBeforeSend } from '../port/look-before-send.ts'
import type { HttpEndpoint } from './config.ts'
import type { Connection } from './connection.ts'
import { currentLook, lookFor, withLook } from './send-look.ts'
import { type Fetch, watchFetch } from './watch-fetch.ts'

const connectTimeoutMs = 10_000
const terminateTimeoutMs = 1_000
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
}

/** A server may ask for any delay: for none, which would be a loop, or for one that a timer cannot have. */
export const reconnectionScheduler: NonNullable<StreamableHTTPClientTransportOptions['reconnectionScheduler']> = (
  reconnect,
  delayMs,
) => {
  const { initialReconnectionDelay: least, maxReconnectionDelay: most } = reconnectionOptions
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, least), most))
  return () => clearTimeout(timer)
}

export class HttpConnection implements Connection {
  readonly transport: StreamableHTTPClientTransport
  // No timeouts here: calls have their own, which may be longer than the five minutes that undici allows by default.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } })
  readonly #dispatcher = this.#agent.compose(joinPieces)
  #closeReason: string | undefined
  #closing: Promise<void> | undefined

  /** `requestTimeoutMs` limits every request, because a server may keep a cancelled one open. */
  constructor({ url, headers }: HttpEndpoint, requestTimeoutMs: number) {
    const fetch = ((address, init) =>
      fetchWith(address as string, { ...(init as object), dispatcher: this.#dispatcherFor(init) })) as Fetch
    const requestInit = { headers: { ...headers } }
    const watched = watchFetch(withinOrigin(fetch, 'The MCP server'), (reason) => this.end(reason))
    const options = { requestInit, fetch: watched, reconnectionOptions, reconnectionScheduler }
    this.transport = new RequestEndingTransport(new URL(url), options, requestTimeoutMs)
  }

  get closeReason(): string | undefined {
    return this.#closeReason
  }

  end(reason: string): void {
    this.#closeReason ??= reason
    void this.transport.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /**
   * For a call, a dispatcher that looks right before it writes. `fetch` would write the body piece by piece after that;
   * as one text it goes out in the same step as the headers.
   */
  #dispatcherFor(init: RequestInit | undefined): Dispatcher {
    const look = currentLook()
    if (!look) return this.#dispatcher
    const inOnePiece: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
      dispatch({ ...options, body: options.body ? String(init?.body) : null }, handler)
    return this.#dispatcher.compose(lookBeforeSend(look), inOnePiece)
  }

  async #end(): Promise<void> {
    const terminated = new AbortController()
    const terminating = this.#closeReason === undefined ? this.transport.terminateSession() : Promise.resolve()
    // If this fails, the session expires on the server.
    void terminating.catch(() => undefined).then(() => terminated.abort())
    await sleep(terminateTimeoutMs, terminated.signal)
    await this.transport.close()
    await this.#agent.destroy()
  }
}

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>

/** Fails a request when the server ends its stream. The SDK ignores this if the server has already responded. */
class RequestEndingTransport extends StreamableHTTPClientTransport {
  readonly #requestTimeoutMs: number

  constructor(url: URL, options: StreamableHTTPClientTransportOptions, requestTimeoutMs: number) {
    super(url, options)
    this.#requestTimeoutMs = requestTimeoutMs
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options: SendOptions = {}): Promise<void> {
    const sending = {
      onRequestStreamEnd: () => this.#endRequest(message),
      ...options,
      requestSignal: options.requestSignal ?? AbortSignal.timeout(this.#requestTimeoutMs),
    }
    return withLook(lookFor(message), () => super.send(message, sending))
  }

  #endRequest(message: JSONRPCMessage | JSONRPCMessage[]): void {
    if (!('id' in message && 'method' in message)) return
    const error = { code: -32_000, message: 'The MCP server ended the call without a response.' }
    this.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
  }
}
