// One request and its answer, over a connection of its own that ends with it.
import { isIP } from 'node:net'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import { describeFailure } from './describe-failure.ts'
import type { Dial } from './dial.ts'
import { FetchProblem } from './fetch-problem.ts'
import { maxAnswerHeaderBytes } from './network-limits.ts'
import { type OutgoingRequest, redirectRequest } from './outgoing-request.ts'
import { acceptedEncodings, readBytes } from './read-bytes.ts'
import type { ResolveName } from './resolve-name.ts'
import { admitAddresses, admitTarget, hostOf, showHost } from './target.ts'

export interface Network {
  readonly resolve: ResolveName
  readonly dial: Dial
}

export interface Answer {
  readonly url: URL
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Decompressed. */
  readonly bytes: Buffer
}

export interface ExchangeOptions {
  readonly network: Network
  readonly signal: AbortSignal
  /** Called as soon as the request may have left. */
  onSent(): void
}

/** Longer than a call may take: the call's own time ends it first, unless somebody calls the tool without one. */
const silenceMs = 60_000

/** The answer, or the request to which it redirects. Throws nothing but `FetchProblem` and `ToolDenied`. */
export async function exchange(
  request: OutgoingRequest,
  options: ExchangeOptions,
): Promise<{ answer: Answer } | { next: OutgoingRequest }> {
  admitTarget(request.url)
  try {
    const addresses = await findAddresses(request.url, options)
    admitAddresses(request.url, addresses)
    return await send(request, addresses, options)
  } catch (error) {
    throw describeFailure(error, request.url)
  }
}

/** Of an address itself nothing is looked up; it is as it was checked. */
async function findAddresses(url: URL, { network, signal }: ExchangeOptions): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  try {
    return await network.resolve(host, signal)
  } catch {
    throw new FetchProblem(`${showHost(url)} could not be looked up.`)
  }
}

async function send(request: OutgoingRequest, addresses: readonly string[], options: ExchangeOptions) {
  const { network, signal, onSent } = options
  signal.throwIfAborted()
  const client = new Client(request.url.origin, {
    connect: watchConnection(network.dial(addresses, signal), onSent),
    maxHeaderSize: maxAnswerHeaderBytes,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  const abort = () => void client.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await readAnswer(request, await client.request(requestOptions(request)))
  } finally {
    signal.removeEventListener('abort', abort)
    await client.destroy()
  }
}

const watchConnection =
  (connect: buildConnector.connector, onOpen: () => void): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) onOpen()
      callback(...result)
    })

const requestOptions = ({ url, method, headers, body }: OutgoingRequest): Dispatcher.RequestOptions => ({
  path: `${url.pathname}${url.search}`,
  method,
  headers: new Map([...headers, ['accept-encoding', acceptedEncodings]]),
  body: body ?? null,
  // Says `connection: close`: nobody else will use it.
  reset: true,
})

async function readAnswer(request: OutgoingRequest, { statusCode: status, headers, body }: Dispatcher.ResponseData) {
  const next = redirectRequest(request, { status, location: [headers.location].flat()[0] })
  if (next) return { next }
  const bytes = await readBytes(body, { encoding: [headers['content-encoding'] ?? []].flat().join() })
  return { answer: { url: request.url, status, headers, bytes } }
}
