// A connection for one request, opened only if the target and its addresses are allowed.
import { isIP, type Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'
import { NotSent, ToolDenied } from '../port/tool.ts'
import type { Dial } from './dial.ts'
import { FetchError } from './fetch-error.ts'
import { connectSeconds, maxResponseHeaderBytes } from './network-limits.ts'
import type { ResolveName } from './resolve-name.ts'
import { hostOf, publicInternet, showHost, type TargetRules } from './target.ts'

export interface Network {
  readonly resolve: ResolveName
  readonly dial: Dial
}

export interface GuardOptions {
  readonly network: Network
  readonly signal: AbortSignal
  /** Where a request may go. Default: only to the public Internet. */
  readonly rules?: TargetRules
  /** The largest body of the response. All that comes over the connection has a limit that follows from it. */
  readonly maxBytes: number
}

/** Longer than a call may take, so it applies only when a request has no time limit. */
const idleTimeoutMs = 60_000

/** Throws `FetchError` or `ToolDenied`. */
export async function withGuardedClient<T>(
  url: URL,
  options: GuardOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { rules = publicInternet } = options
  rules.checkTarget(url)
  try {
    const addresses = await findAddresses(url, options)
    rules.checkAddresses(url, addresses)
    return await connectTo(url, addresses, options, work)
  } catch (error) {
    throw describeFailure(error, url)
  }
}

async function findAddresses(url: URL, { network, signal }: GuardOptions): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  try {
    return await network.resolve(host, signal)
  } catch {
    throw new FetchError(`The DNS lookup of ${showHost(url)} failed.`)
  }
}

async function connectTo<T>(
  url: URL,
  addresses: readonly string[],
  { network, signal, maxBytes }: GuardOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const client = new Client(url.origin, {
    connect: limitConnection(network.dial(addresses, signal), maxBytes),
    maxHeaderSize: maxResponseHeaderBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  })
  const abort = () => void client.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await work(client)
  } finally {
    signal.removeEventListener('abort', abort)
    await client.destroy()
  }
}

type Sentence = (host: string) => string

const sentences: readonly (readonly [RegExp, Sentence])[] = [
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/,
    (host) => `${host} did not accept the connection within ${connectSeconds} seconds.`,
  ],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, (host) => `The connection to ${host} was closed unexpectedly.`],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, (host) => `${host} stopped responding.`],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    (host) => `The response of ${host} has more than ${maxResponseHeaderBytes} bytes of headers.`,
  ],
  [/^(HPE_|HTTPParserError|UND_ERR_RES)/, (host) => `The response of ${host} is not valid HTTP.`],
  [/CERT|^UNABLE_TO_/, (host) => `The certificate of ${host} is not valid.`],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, (host) => `The TLS handshake with ${host} failed.`],
]

/**
 * Describes a network error for the caller. Messages of libraries contain addresses, so only the error's code, or its
 * name if it has no code, is used. Returns an error that is meant for the caller unchanged.
 */
function describeFailure(error: unknown, url: URL): FetchError | ToolDenied | NotSent {
  if (error instanceof FetchError || error instanceof ToolDenied || error instanceof NotSent) return error
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  const [, sentence] = sentences.find(([codes]) => codes.test(String(code ?? name))) ?? []
  return new FetchError(sentence?.(showHost(url)) ?? `${showHost(url)} could not be reached.`)
}

/** A body in chunks of one byte is six times as long. */
const bytesPerByte = 8
/** For the headers, and for the certificates of TLS. */
const bytesBeside = 64 * 1024

/**
 * Limits what a server can send over a connection. The parser of HTTP reads parts of a response that are not its body
 * and have no limit of their own, such as extensions of chunks and informational responses.
 */
const limitConnection =
  (connect: buildConnector.connector, maxBodyBytes: number): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) watch(result[1], maxBodyBytes * bytesPerByte + bytesBeside)
      callback(...result)
    })

/** Looks before each part is parsed. It reads nothing itself: a listener for `data` would take it from the parser. */
function watch(socket: Socket, maxBytes: number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxBytes) return
    socket.destroy(new FetchError(`The server sent more than ${maxBytes} bytes in its response.`))
  })
}
