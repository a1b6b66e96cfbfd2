// The tool `http_fetch`: reads and calls what is on the public Internet, and nothing that is not.

import { type Tool, type ToolCallContext, ToolDenied } from '../port/tool.ts'
import { dial } from './dial.ts'
import { type Answer, type ExchangeOptions, exchange, type Network } from './exchange.ts'
import { type FetchInput, fetchInput } from './fetch-input.ts'
import { FetchProblem } from './fetch-problem.ts'
import { isSafe } from './methods.ts'
import { type OutgoingRequest, prepareRequest } from './outgoing-request.ts'
import { readableBody } from './readable-body.ts'
import { resolveName } from './resolve-name.ts'
import { showHost } from './target.ts'

export const maxRedirects = 5

/** What is left out is the real network. */
export function createHttpFetch(own: Partial<Network> = {}): Tool<FetchInput> {
  const network: Network = { resolve: resolveName, dial, ...own }
  return {
    name: 'http_fetch',
    description:
      'Fetches a URL from the public Internet (http or https, ports 80 and 443) and returns its status, headers and ' +
      'body. JSON is parsed, HTML is reduced to its text; at most 1 MiB, in at most 30 seconds.',
    input: fetchInput,
    effectOf: ({ method = 'GET' }) => (isSafe(method) ? 'read' : 'once'),
    // A URL alone carries data out.
    exposureOf: () => ({ takesUntrusted: true, sendsOut: true }),
    timeoutSeconds: 30,
    run: (input, context) => fetchUrl(input, context, network),
  }
}

async function fetchUrl(input: FetchInput, { signal, idempotencyKey }: ToolCallContext, network: Network) {
  const request = prepareRequest(input, idempotencyKey)
  let sent = false
  const onSent = () => {
    sent = true
  }
  try {
    const answer = await followRedirects(request, { network, signal, onSent })
    const { status, headers, bytes, url } = answer
    const contentType = headerText(headers['content-type'])
    return { status, headers: showHeaders(answer), body: await readableBody({ contentType, bytes, url, signal }) }
  } catch (error) {
    throw sent && !isSafe(request.method) ? warnOfEffect(error, request) : error
  }
}

async function followRedirects(request: OutgoingRequest, options: ExchangeOptions): Promise<Answer> {
  let current = request
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const result = await exchange(current, options)
    if ('answer' in result) return result.answer
    current = result.next
  }
  throw new FetchProblem(`${showHost(request.url)} redirects more than ${maxRedirects} times.`)
}

/** Cookies are left out: they are keys to somebody's session, and no later call would send them. */
const showHeaders = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = name === 'set-cookie' ? undefined : headerText(value)
      return text === undefined ? [] : [[name, text]]
    }),
  )

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** A failure after the request went out does not mean that nothing happened. */
function warnOfEffect(error: unknown, { method }: OutgoingRequest): unknown {
  const warn = (message: string) => `${message} The ${method} may have taken effect all the same.`
  if (error instanceof ToolDenied) return new ToolDenied(error.reasonCode, warn(error.message))
  return error instanceof FetchProblem ? new FetchProblem(warn(error.message)) : error
}
