// The tool `http_fetch`: sends HTTP requests to the public Internet only.
import { shortenText } from '@runwright/contract'
import { saysNoEffect, type Tool, type ToolCallContext, ToolDenied, withoutEffect } from '../port/tool.ts'
import { dial } from './dial.ts'
import { type ExchangeOptions, exchange, type FetchedResponse, type Network } from './exchange.ts'
import { FetchError } from './fetch-error.ts'
import { type FetchInput, fetchInput } from './fetch-input.ts'
import { isSafe } from './methods.ts'
import { type OutgoingRequest, prepareRequest } from './outgoing-request.ts'
import { readableBody } from './readable-body.ts'
import { resolveName } from './resolve-name.ts'
import { showHost } from './target.ts'

const maxRedirects = 5
/** Of the answer of a server that failed. */
const maxQuoteLength = 200

/** Tests replace parts of the network. */
export function createHttpFetch(overrides: Partial<Network> = {}): Tool<FetchInput> {
  const network: Network = { resolve: resolveName, dial, ...overrides }
  return {
    name: 'http_fetch',
    description:
      'Sends an HTTP request to a public URL (ports 80 and 443). Returns status, headers and body, JSON parsed, HTML as ' +
      'text; at most 1 MiB and 30 s.',
    input: fetchInput,
    effectOf: ({ method = 'GET' }) => (isSafe(method) ? 'read' : 'once'),
    dependsOnInput: ['effect'],
    // Even a GET sends data out: its URL can contain any data.
    exposureOf: () => ({ takesUntrusted: true, sendsOut: true }),
    timeoutSeconds: 30,
    looksBeforeSending: true,
    run: (input, context) => fetchUrl(input, context, network),
  }
}

async function fetchUrl(input: FetchInput, context: ToolCallContext, network: Network) {
  const { signal, customerId } = context
  const request = prepareRequest(input, context)
  let sent = false
  const beforeSend = () => {
    context.beforeSend()
    sent = true
  }
  try {
    const response = await followRedirects(request, { network, signal, beforeSend })
    const body = await readBody(response, { signal, customerId })
    if (response.status >= 500 && !isSafe(request.method)) throw serverFailed(response, body)
    return { status: response.status, headers: showHeaders(response), body }
  } catch (error) {
    throw sent && !isSafe(request.method) && !saysNoEffect(error) ? warnOfEffect(error, request) : error
  }
}

async function readBody(
  { status, headers, bytes, url }: FetchedResponse,
  call: Pick<ToolCallContext, 'signal' | 'customerId'>,
): Promise<unknown> {
  try {
    return await readableBody({ contentType: headerText(headers['content-type']), bytes, url, ...call })
  } catch (error) {
    throw status >= 400 && status < 500 ? withoutEffect(error as Error) : error
  }
}

/** A server that fails may have carried out the request. One that refuses it, with 4xx, has not: that is a result. */
function serverFailed({ url, status }: FetchedResponse, body: unknown): FetchError {
  const said = body === null ? '' : `: ${typeof body === 'string' ? body : JSON.stringify(body)}`
  return new FetchError(`${showHost(url)} answered with status ${status}${shortenText(said, maxQuoteLength)}.`)
}

interface RedirectOptions extends ExchangeOptions {
  /** Fails instead of sending a request that is not encrypted. */
  readonly onlyHttps?: boolean
}

export async function followRedirects(request: OutgoingRequest, options: RedirectOptions): Promise<FetchedResponse> {
  let current = request
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (options.onlyHttps && current.url.protocol !== 'https:') throw notEncrypted(current.url)
    const result = await exchange(current, options)
    if ('response' in result) return result.response
    current = result.next
  }
  throw new FetchError(`${showHost(request.url)} redirects more than ${maxRedirects} times.`)
}

const notEncrypted = (url: URL) => new FetchError(`Only https is allowed, but ${showHost(url)} is reached without it.`)

/** Omits cookies: they may grant access to a session, and no later call would send them. */
const showHeaders = ({ headers }: FetchedResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = name === 'set-cookie' ? undefined : headerText(value)
      return text === undefined ? [] : [[name, text]]
    }),
  )

export const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** A request that failed after it was sent may still have taken effect, also if the address of a redirect is denied. */
const warnOfEffect = (error: unknown, { method }: OutgoingRequest): unknown =>
  error instanceof FetchError || error instanceof ToolDenied
    ? new FetchError(`${error.message} The ${method} request may still have taken effect.`)
    : error
