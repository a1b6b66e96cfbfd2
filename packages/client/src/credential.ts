// Who calls: an API key, or a token. A token can be renewed: the callback is called for the first request, and when the
// service no longer accepts what it returned. Requests that come meanwhile wait for the same call. The clock of this
// machine does not matter.
import { type ApiKey, type Fetch, withApiKey } from './fetch-layers.ts'

/** A token of `tokens.create`, or a function that gets one, for example from your own server. */
export type Token = string | (() => string | Promise<string>)

export type Credential = { readonly apiKey: ApiKey } | { readonly token: Token }

const withAuthorization = (init: RequestInit | undefined, token: string): RequestInit => {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Returns a layer that authenticates requests. All that it is put around share a token. */
export function authorizer(credential: Credential): (inner: Fetch) => Fetch {
  if ('apiKey' in credential) return (inner) => withApiKey(inner, credential.apiKey)
  const { token } = credential
  if (typeof token === 'string') return (inner) => (input, init) => inner(input, withAuthorization(init, token))
  const source = new TokenSource(token)
  return (inner) => withRenewal(inner, source)
}

const withRenewal =
  (inner: Fetch, source: TokenSource): Fetch =>
  async (input, init) => {
    const used = await source.get()
    const response = await inner(input, withAuthorization(init, used))
    // A request that is not authenticated has no effect, so it can be sent again, whatever it is.
    if (response.status !== 401) return response
    const renewed = await source.renew(used)
    await response.body?.cancel()
    return inner(input, withAuthorization(init, renewed))
  }

class TokenSource {
  readonly #fetch: () => string | Promise<string>
  #current: Promise<string> | undefined

  constructor(fetch: () => string | Promise<string>) {
    this.#fetch = fetch
  }

  get(): Promise<string> {
    this.#current ??= this.#start()
    return this.#current
  }

  /** Another one than `refused`, which another request may have got already. */
  async renew(refused: string): Promise<string> {
    const seen = this.#current
    const current = await seen?.catch(() => undefined)
    if (this.#current === seen && (current === undefined || current === refused)) this.#current = this.#start()
    return this.get()
  }

  #start(): Promise<string> {
    const started = Promise.resolve().then(this.#fetch)
    // After a failure the next request asks again.
    started.catch(() => {
      if (this.#current === started) this.#current = undefined
    })
    return started
  }
}
