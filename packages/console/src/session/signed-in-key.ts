// Asks the service who is signed in, signs in and signs out. `/console/session` is not part of the API, so the client
// has no methods for it.
import { RunwrightError } from '@runwright/client'
import type { Scope } from '@runwright/contract'

/** The key that is signed in, as the service describes it. */
export interface SignedInKey {
  readonly key_id: string
  readonly key_name: string | null
  readonly customer_id: string
  readonly scopes: readonly Scope[]
  /** Whose key it is, or who has signed in. */
  readonly person: string | null
  /** A person who has signed in through the identity provider. */
  readonly signs_in: boolean
  /** When the session or the key ends; null: never. */
  readonly expires_at: string | null
}

/** Where the key is kept: in this tab, or as a session of this browser, which the cookie of the service proves. */
export type Credential = { readonly keptFor: 'tab'; readonly apiKey: string } | { readonly keptFor: 'browser' }

/** Another site cannot send this header, so a request with it and the cookie comes from the console. */
export const consoleHeaders = { 'x-runwright-console': '1' } as const

interface ErrorFields {
  readonly message?: string
  readonly reason_code?: string
  readonly request_id?: string
}

const errorOf = async (response: Response): Promise<RunwrightError> => {
  const { message, reason_code, request_id }: ErrorFields = await response.json().catch(() => ({}))
  return new RunwrightError(message ?? `The service returned HTTP status ${response.status}`, {
    status: response.status,
    reasonCode: reason_code,
    requestId: request_id,
  })
}

const send = async ({ headers, ...init }: RequestInit, path = 'session'): Promise<Response> => {
  const url = new URL(path, window.location.href)
  const sent = fetch(url, { ...init, headers: { ...consoleHeaders, ...headers } })
  const response = await sent.catch((cause: unknown) => {
    throw new RunwrightError('No response from the service. Check that it is running, and try again.', { cause })
  })
  if (!response.ok) throw await errorOf(response)
  return response
}

const read = async (response: Response): Promise<SignedInKey> => (await response.json()) as SignedInKey

/** Checks a key without opening a session. */
export const checkKey = async (apiKey: string): Promise<SignedInKey> =>
  read(await send({ headers: { authorization: `Bearer ${apiKey}` } }))

export const readSession = async (): Promise<SignedInKey> => read(await send({}))

/** Opens a session of this browser, with a key or with the one-time code of a sign-in link. */
export const openSession = async (proof: { readonly api_key: string } | { readonly code: string }) =>
  read(await send({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(proof) }))

export const endSession = async (): Promise<void> => {
  await send({ method: 'DELETE' })
}

/** Ends all sessions of the person. Returns the page of the identity provider to sign out, if it has one. */
export const endAllSessions = async (): Promise<string | undefined> => {
  const response = await send({ method: 'DELETE' }, 'sessions')
  const { provider_url }: { readonly provider_url: string | null } = await response.json()
  return provider_url ?? undefined
}

/** What the identity provider is called. Undefined: there is none. */
export const readProviderName = async (): Promise<string | undefined> => {
  const { name }: { readonly name: string | null } = await (await send({}, 'sign-in-options')).json()
  return name ?? undefined
}

/** Leads through the identity provider and back to the page. `isFresh`: the person proves again who they are. */
export const providerSignIn = (page: string, { isFresh = false, customer }: ProviderSignIn = {}): string =>
  `sign-in?${new URLSearchParams({ to: page, ...(isFresh && { fresh: '1' }), ...(customer && { customer }) })}`

interface ProviderSignIn {
  readonly isFresh?: boolean
  readonly customer?: string
}

/** Reads from a route of the service that only the console uses, such as `ticks?cron=…`. */
export const readOwnRoute = async (
  path: string,
  { apiKey, signal }: { readonly apiKey?: string; readonly signal?: AbortSignal },
): Promise<unknown> => {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  return (await send({ headers, ...(signal && { signal }) }, path)).json()
}
