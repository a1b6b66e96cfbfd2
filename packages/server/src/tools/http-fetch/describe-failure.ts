// Describes a network error for the caller. Messages of libraries contain addresses, so only the error's code, or its
// name if it has no code, is used.
import { NotSent, ToolDenied } from '../port/tool.ts'
import { FetchError } from './fetch-error.ts'
import { connectSeconds, maxResponseHeaderBytes } from './network-limits.ts'
import { showHost } from './target.ts'

type Sentence = (host: string) => string

const sentences: readonly (readonly [RegExp, Sentence])[] = [
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/,
    (host) => `${host} did not accept the connection within ${connectSeconds} seconds.`,
  ],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, (host) => `The connection to ${host} was closed unexpectedly.`],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, (host) => `${host} stopped responding.`],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    (host) => `The response of ${host} has more than ${maxResponseHeaderBytes} bytes of headers.`,
  ],
  [/^(HPE_|HTTPParserError|UND_ERR_RES)/, (host) => `The response of ${host} is not valid HTTP.`],
  [/CERT|^UNABLE_TO_/, (host) => `The certificate of ${host} is not valid.`],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, (host) => `The TLS handshake with ${host} failed.`],
]

/** Returns an error that is meant for the caller unchanged. */
export function describeFailure(error: unknown, url: URL): FetchError | ToolDenied | NotSent {
  if (error instanceof FetchError || error instanceof ToolDenied || error instanceof NotSent) return error
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  const [, sentence] = sentences.find(([codes]) => codes.test(String(code ?? name))) ?? []
  return new FetchError(sentence?.(showHost(url)) ?? `${showHost(url)} could not be reached.`)
}
