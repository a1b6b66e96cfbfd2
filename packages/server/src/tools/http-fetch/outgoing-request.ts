// A request as it goes out, and the one that a redirect makes of it.
import { version } from '../../runtime/version.ts'
import type { FetchInput } from './fetch-input.ts'
import { FetchProblem } from './fetch-problem.ts'
import { isSafe, type Method } from './methods.ts'
import { bodyText, bodyType } from './request-body.ts'
import { maxUrlLength, showHost } from './target.ts'

export interface OutgoingRequest {
  readonly url: URL
  readonly method: Method
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | undefined
}

export function prepareRequest(input: FetchInput, idempotencyKey: string): OutgoingRequest {
  const { method = 'GET' } = input
  const body = bodyText(input.body)
  const given = Object.entries(input.headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ])
  const headers = new Map<string, string>([
    ['accept', '*/*'],
    ['user-agent', `runwright/${version}`],
    ...(body === undefined ? [] : [['content-type', bodyType(input.body)] as const]),
    ...(isSafe(method) ? [] : [['idempotency-key', idempotencyKey] as const]),
    ...given,
  ])
  return { url: new URL(input.url), method, headers, body }
}

const redirects = [301, 302, 303, 307, 308]
/** All that another origin gets to see: any other header may hold a secret meant for the first. */
const keptAcrossOrigins = ['accept', 'accept-language', 'user-agent']

/**
 * Undefined: the answer is the answer. So is a redirect that would send a body, or a method other than GET and HEAD, to
 * another origin than the caller named: whether that is wanted, the caller must say.
 */
export function redirectRequest(
  request: OutgoingRequest,
  { status, location }: { readonly status: number; readonly location: string | undefined },
): OutgoingRequest | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined
  const url = resolveLocation(request.url, location)
  const turned = turnsIntoGet(status, request.method) ? asGet(request) : request
  if (url.origin === request.url.origin) return { ...turned, url }
  if (!isSafe(turned.method)) return undefined
  return { ...turned, url, headers: pick(turned.headers, (name) => keptAcrossOrigins.includes(name)) }
}

function resolveLocation(base: URL, location: string): URL {
  if (location.length <= maxUrlLength && URL.canParse(location, base.href)) return new URL(location, base)
  throw new FetchProblem(`${showHost(base)} redirects to what is not a URL.`)
}

/** As browsers do it. */
const turnsIntoGet = (status: number, method: Method): boolean =>
  status === 303 ? !isSafe(method) : status <= 302 && method === 'POST'

const asGet = (request: OutgoingRequest): OutgoingRequest => ({
  ...request,
  method: 'GET',
  headers: pick(request.headers, (name) => !name.startsWith('content-') && name !== 'idempotency-key'),
  body: undefined,
})

const pick = (headers: ReadonlyMap<string, string>, keeps: (name: string) => boolean): ReadonlyMap<string, string> =>
  new Map([...headers].filter(([name]) => keeps(name)))
