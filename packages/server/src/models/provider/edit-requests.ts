// A fetch that changes the JSON body of requests: it leaves out what the server refused before, and adds what the SDK
// package has no option for. The same for every wire format.
import type { Quirks } from './quirks.ts'
import { withoutRefused } from './refused-parameter.ts'

type Body = Record<string, unknown>

export function editRequests(
  fetch: typeof globalThis.fetch,
  { quirks, added }: { readonly quirks: Quirks; readonly added: Body },
): typeof globalThis.fetch {
  const addsNothing = Object.keys(added).length === 0
  return (url, init) => {
    const refused = quirks.refusedParameters
    if ((addsNothing && refused.length === 0) || typeof init?.body !== 'string') return fetch(url, init)
    const body = withoutRefused({ ...(JSON.parse(init.body) as Body), ...added }, refused)
    return fetch(url, { ...init, body: JSON.stringify(body) })
  }
}
