// Sends one request over a connection of its own and reads the response.
import { isIP } from 'node:net'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import { describeFailure } from './describe-failure.ts'
import type { Dial } from './dial.ts'
import { FetchError } from './fetch-error.ts'
import { maxResponseHeaderBytes } from './network-limits.ts'
import { type OutgoingRequest, redirectRequest } from './outgoing-request.ts'
import { acceptedEncodings, readBytes } from './read-bytes.ts'
import type { ResolveName } from './resolve-name.ts'
import { checkAddresses, checkTarget, hostOf, showHost } from './target.ts'

export interface Network {
  readonly resolve: ResolveName
  readonly dial: Dial
}

export interface FetchedResponse {
  readonly url: URL
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Decompressed. */
  readonly bytes: Buffer
}

export interface ExchangeOptions {
  readonly network: Network
  readonly signal: AbortSignal
  /** The largest body of a response. Default: that of the tool. */
  readonly maxBytes?: number | undefined
  /** Called as soon as the request may have been sent. */
  onSent(): void
}

/** Longer than a call may take, so it applies only when the tool is run without a time limit. */
const idleTimeoutMs = 60_000

/**
 * Resolves with the response, or with the request to make next after a redirect. Throws `FetchError` or `ToolDenied`.
 */
export async function exchange(
  request: OutgoingRequest,
  options: ExchangeOptions,
): Promise<{ response: FetchedResponse } | { next: OutgoingRequest }> {
  checkTarget(request.url)
  try {
    const addresses = await findAddresses(request.url, options)
    checkAddresses(request.url, addresses)
    return await send(request, addresses, options)
  } catch (error) {
    throw describeFailure(error, request.url)
  }
}

async function findAddresses(url: URL, { network, signal }: ExchangeOptions): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  try {
    return await network.resolve(host, signal)
  } catch {
    throw new FetchError(`The DNS lookup of ${showHost(url)} failed.`)
  }
}

async function send(request: OutgoingRequest, addresses: readonly string[], options: ExchangeOptions) {
  const { network, signal, maxBytes, onSent } = options
  signal.throwIfAborted()
  const client = new Client(request.url.origin, {
    connect: watchConnection(network.dial(addresses, signal), onSent),
    maxHeaderSize: maxResponseHeaderBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  })
  const abort = () => void client.destroy()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await readResponse(request, await client.request(requestOptions(request)), maxBytes)
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
  // Sends `connection: close`: the connection is used once.
  reset: true,
})

async function readResponse(request: OutgoingRequest, response: Dispatcher.ResponseData, maxBytes?: number) {
  const { statusCode: status, headers, body } = response
  const next = redirectRequest(request, { status, location: [headers.location].flat()[0] })
  if (next) return { next }
  const encoding = [headers['content-encoding'] ?? []].flat().join()
  const bytes = await readBytes(body, { encoding, maxBytes })
  return { response: { url: request.url, status, headers, bytes } }
}
