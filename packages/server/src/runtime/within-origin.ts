// A fetch that follows redirects only within the origin of the request. What a request carries, such as a key, a prompt
// or a call, is meant for the server that the operator has named; and an answer must come from there, too.

type Fetch = typeof globalThis.fetch

const redirectStatuses = [301, 302, 303, 307, 308]
const maxRedirects = 5

/** The message is a sentence for operators. It quotes nothing but the origin of the target. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused'
}

/** `server` begins the sentence of a refusal, such as `The provider openai`. */
export function withinOrigin(fetch: Fetch, server: string): Fetch {
  return async (input, init) => {
    // A Request cannot be sent again to another path: its body is read once.
    if (input instanceof Request) return fetch(input, { ...init, redirect: 'error' })
    let url = new URL(input)
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const response = await fetch(url.href, { ...init, redirect: 'manual' })
      const location = response.headers.get('location')
      if (!redirectStatuses.includes(response.status) || location === null) return response
      await response.body?.cancel()
      url = nextUrl({ url, server, status: response.status, location, init })
    }
    throw new RedirectRefused(`${server} redirects more than ${maxRedirects} times.`)
  }
}

interface Redirect {
  readonly url: URL
  readonly server: string
  readonly status: number
  readonly location: string
  readonly init: RequestInit | undefined
}

function nextUrl({ url, server, status, location, init }: Redirect): URL {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
  // Another scheme has the origin "null". A user in a URL would be sent as a password that is not configured.
  const where = next && next.origin !== 'null' && !next.username && !next.password ? next.origin : 'an invalid URL'
  if (where !== url.origin) {
    throw new RedirectRefused(
      `${server} redirects to ${where} (status ${status}). Redirects to another origin are not followed: configure the URL that it leads to.`,
    )
  }
  if (next && (isRead(init) || (status >= 307 && canRepeat(init)))) return next
  throw new RedirectRefused(`${server} redirects a request that cannot be repeated (status ${status}).`)
}

const isRead = (init: RequestInit | undefined): boolean => ['GET', 'HEAD'].includes(init?.method ?? 'GET')

/** A stream can be read only once. */
const canRepeat = (init: RequestInit | undefined): boolean => !(init?.body instanceof ReadableStream)
