// Builds the request to send, and the next request after a redirect.
import type { ToolCallContext } from '../port/tool.ts'
import { FetchError } from './fetch-error.ts'
import type { FetchInput } from './fetch-input.ts'
import { isSafe, type Method } from './methods.ts'
import { bodyText, bodyType } from './request-body.ts'
import { maxUrlLength, showHost } from './target.ts'

export interface OutgoingRequest {
  readonly url: URL
  readonly method: Method
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | undefined
  /** The request contains sensitive values, which must not follow a redirect to another host. */
  readonly staysOnHost: boolean
}

type Caller = Pick<ToolCallContext, 'idempotencyKey' | 'carriesSecrets' | 'traceparent'>

export function prepareRequest(input: FetchInput, caller: Caller): OutgoingRequest {
  const { idempotencyKey, carriesSecrets, traceparent } = caller
  const { method = 'GET' } = input
  const body = bodyText(input.body)
  const given = Object.entries(input.headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ])
  const headers = new Map<string, string>([
    ['accept', '*/*'],
    ['user-agent', 'runwright'],
    ...(body === undefined ? [] : [['content-type', bodyType(input.body)] as const]),
    ...(isSafe(method) ? [] : [['idempotency-key', idempotencyKey] as const]),
    ...(traceparent === undefined ? [] : [['traceparent', traceparent] as const]),
    ...given,
  ])
  return { url: new URL(input.url), method, headers, body, staysOnHost: carriesSecrets === true }
}

const redirects = [301, 302, 303, 307, 308]
/** The only headers sent to another origin: any other may contain a secret meant for the first one. */
const keptAcrossOrigins = ['accept', 'accept-language', 'user-agent']

/**
 * The request that follows a redirect; undefined when the response is final. A redirect that would send a method other
 * than GET and HEAD to another origin is final, too: the caller has to decide whether to follow it. So is one to
 * another host if the request contains sensitive values.
 */
export function redirectRequest(
  request: OutgoingRequest,
  { status, location }: { readonly status: number; readonly location: string | undefined },
): OutgoingRequest | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined
  const url = resolveLocation(request.url, location)
  const next = becomesGet(status, request.method) ? asGet(request) : request
  if (url.origin === request.url.origin) return { ...next, url }
  if (!isSafe(next.method)) return undefined
  if (request.staysOnHost && url.hostname !== request.url.hostname) return undefined
  return { ...next, url, headers: pick(next.headers, (name) => keptAcrossOrigins.includes(name)) }
}

function resolveLocation(base: URL, location: string): URL {
  if (location.length <= maxUrlLength && URL.canParse(location, base.href)) return new URL(location, base)
  throw new FetchError(`${showHost(base)} redirects to an invalid URL.`)
}

/** The same rules as in browsers. */
const becomesGet = (status: number, method: Method): boolean =>
  status === 303 ? !isSafe(method) : status <= 302 && method === 'POST'

const asGet = (request: OutgoingRequest): OutgoingRequest => ({
  ...request,
  method: 'GET',
  headers: pick(request.headers, (name) => !name.startsWith('content-') && name !== 'idempotency-key'),
  body: undefined,
})

const pick = (headers: ReadonlyMap<string, string>, keeps: (name: string) => boolean): ReadonlyMap<string, string> =>
  new Map([...headers].filter(([name]) => keeps(name)))
