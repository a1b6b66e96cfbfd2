// A fetch that sends the key in the header that the configuration names, or sends none. The SDK packages always send a
// key in their own header.
import type { ProviderServer } from '../config/server.ts'

const headersOfFormats = ['authorization', 'x-api-key', 'x-goog-api-key']

export function sendKeyIn(fetch: typeof globalThis.fetch, server: ProviderServer): typeof globalThis.fetch {
  const own = ownHeaders(server)
  if (server.apiKey !== undefined && own.size === 0) return fetch
  return (url, init) => {
    const headers = new Headers(init?.headers)
    for (const name of headersOfFormats) headers.delete(name)
    for (const [name, value] of own) headers.set(name, value)
    return fetch(url, { ...init, headers })
  }
}

/** The headers that take the place of the SDK's own. */
function ownHeaders({ apiKey, keyHeader, headers = {} }: ProviderServer): Map<string, string> {
  const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const own = new Map(configured.filter(([name]) => headersOfFormats.includes(name)))
  if (apiKey !== undefined && keyHeader !== undefined) own.set(keyHeader, valueFor(keyHeader, apiKey))
  return own
}

const valueFor = (header: string, apiKey: string): string => (header === 'authorization' ? `Bearer ${apiKey}` : apiKey)
