// Requests to the identity provider: to the addresses that the operator allows, with a time limit, without redirects,
// and with answers of a bounded size. Addresses of its endpoints come from its own document, so they are checked, too.
import type { CustomFetchOptions } from 'openid-client'
import { dial } from '../../tools/http-fetch/dial.ts'
import { endpointRules } from '../../tools/http-fetch/endpoint-rules.ts'
import { FetchError } from '../../tools/http-fetch/fetch-error.ts'
import { type Network, withGuardedClient } from '../../tools/http-fetch/guarded-client.ts'
import { readBytes } from '../../tools/http-fetch/read-bytes.ts'
import { resolveEndpoint } from '../../tools/http-fetch/resolve-name.ts'
import { ToolDenied } from '../../tools/port/tool.ts'

/** The provider gave no usable answer. It says nothing about the person. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

interface GuardedFetchOptions {
  readonly privateAddresses: 'allow' | 'deny'
  /** Tests replace parts of the network. */
  readonly network?: Partial<Network> | undefined
  readonly timeoutMs?: number
}

const maxBytes = 256 * 1024

type GuardedFetch = (url: string, options: CustomFetchOptions) => Promise<Response>

export function createGuardedFetch({
  privateAddresses,
  network,
  timeoutMs = 10_000,
}: GuardedFetchOptions): GuardedFetch {
  const used: Network = { resolve: resolveEndpoint, dial, ...network }
  const rules = endpointRules(privateAddresses)
  return async (address, options) => {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    const { signal } = timeout
    try {
      return await exchange(new URL(address), options, { network: used, signal, rules, maxBytes })
    } catch (error) {
      if (signal.aborted) throw new ProviderAway(`it did not answer within ${timeoutMs / 1000} seconds`)
      if (error instanceof FetchError || error instanceof ToolDenied) throw new ProviderAway(error.message)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

type Guard = Parameters<typeof withGuardedClient>[1]

const exchange = (url: URL, { method, headers, body }: CustomFetchOptions, guard: Guard): Promise<Response> =>
  withGuardedClient(url, guard, async (client) => {
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: method as 'GET' | 'POST',
      headers: { ...headers, 'user-agent': 'runwright' },
      body: body === undefined || body === null ? null : String(body),
      reset: true,
    })
    const { statusCode: status } = response
    if (status >= 500 || status === 429) throw new ProviderAway(`it answered with HTTP status ${status}`)
    const bytes = await readBytes(response.body, {
      encoding: [response.headers['content-encoding']].flat()[0] ?? '',
      maxBytes,
    })
    const type = [response.headers['content-type']].flat()[0]
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : new Uint8Array(bytes), {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  })
