// What went wrong on the network, in plain words. The messages of the libraries name addresses, so none of them is passed
// on; their codes, or names where they have no code, are all that is read.
import { ToolDenied } from '../port/tool.ts'
import { FetchProblem } from './fetch-problem.ts'
import { connectSeconds, maxAnswerHeaderBytes } from './network-limits.ts'
import { showHost } from './target.ts'

type Sentence = (host: string) => string

const sentences: readonly (readonly [RegExp, Sentence])[] = [
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/,
    (host) => `${host} did not accept the connection within ${connectSeconds} seconds.`,
  ],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, (host) => `The connection to ${host} broke off.`],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, (host) => `${host} fell silent.`],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    (host) => `The answer of ${host} has more than ${maxAnswerHeaderBytes} bytes of headers.`,
  ],
  [/^(HPE_|HTTPParserError|UND_ERR_RES)/, (host) => `The answer of ${host} is not valid HTTP.`],
  [/CERT|^UNABLE_TO_/, (host) => `The certificate of ${host} is not to be trusted.`],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, (host) => `${host} could not agree on an encrypted connection.`],
]

/** Refusals and problems that are described already stay as they are. */
export function describeFailure(error: unknown, url: URL): FetchProblem | ToolDenied {
  if (error instanceof FetchProblem || error instanceof ToolDenied) return error
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  const [, sentence] = sentences.find(([codes]) => codes.test(String(code ?? name))) ?? []
  return new FetchProblem(sentence?.(showHost(url)) ?? `${showHost(url)} could not be reached.`)
}
