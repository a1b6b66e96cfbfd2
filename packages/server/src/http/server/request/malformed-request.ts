// Requests that HTTP forbids. Node rejects some without the error envelope and accepts others: of two `Authorization`
// or `Host` headers it keeps the first, while a proxy in front of the service may have checked the second.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../../../domain/service-error.ts'
import { newWireId } from '../../../runtime/ids.ts'
import { errorAnswer } from '../response/error-answer.ts'
import { securityHeaders } from '../response/security-headers.ts'

export const maxHeaderBytes = 16 * 1024

export function findMalformation(request: IncomingMessage): ServiceError | undefined {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    return new ServiceError('REQUEST_MALFORMED', 'An HTTP/1.1 request must have a Host header.')
  }
  const repeated = findRepeated(request.rawHeaders)
  if (repeated === undefined) return undefined
  return new ServiceError('REQUEST_MALFORMED', `The request has two ${repeated} headers. Send one.`)
}

/** Only these decide who the caller is and where the request goes. */
const sentOnce: Readonly<Record<string, string>> = { authorization: 'Authorization', host: 'Host' }

/** `rawHeaders` alternates names and values. The length comes first, because this runs for every request. */
function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? ''
    if (raw.length !== 'host'.length && raw.length !== 'authorization'.length) continue
    const name = raw.toLowerCase()
    if (name in sentOnce && seen.has(name)) return sentOnce[name]
    seen.add(name)
  }
  return undefined
}

interface RefusalContext {
  /** Whether it was this process that took too long. */
  readonly isOurDelay: boolean
}

/** Answers a request that Node's parser refused. */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket, context: RefusalContext): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = newWireId('req')
  const { status, headers, body } = errorAnswer(refusalOf(error, context), { requestId })
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...securityHeaders,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
}

function refusalOf({ code }: NodeJS.ErrnoException, { isOurDelay }: RefusalContext): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return malformed(`The request headers are larger than ${maxHeaderBytes} bytes.`)
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return malformed('Malformed HTTP request.')
  if (!isOurDelay) return malformed('The request took too long to arrive.')
  return new ServiceError(
    'OVERLOADED',
    'The service was more than 2 seconds behind and did not read the request in time. Nothing was written. Try again.',
    1,
  )
}

const malformed = (message: string) => new ServiceError('REQUEST_MALFORMED', message)
