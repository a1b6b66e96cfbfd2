// A connection for one request, opened only if the target and its addresses are allowed.
import { isIP } from 'node:net'
import { Client } from 'undici'
import { describeFailure } from './describe-failure.ts'
import type { Dial } from './dial.ts'
import { FetchError } from './fetch-error.ts'
import { limitConnection } from './limit-connection.ts'
import { maxResponseHeaderBytes } from './network-limits.ts'
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
