// Passes a request on to a cell and its answer back, both as streams.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { askedWaitMs, type CellTimes } from './cell-times.ts'

/** Of one connection, not of the request: RFC 9110, 7.6.1. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

export interface Forwarding {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the cell. */
  readonly url: string
  readonly requestId: string
  readonly times: CellTimes
  /** Called when the answer begins to be a stream of events. */
  readonly onStream?: () => void
}

/** The cell was connected, and nothing came from it: it may have done what the request asks for. */
export class CellSilent extends Error {
  override readonly name = 'CellSilent'
}

/** Rejects if the cell did not answer. After its answer has begun, a failure closes the connection of the client. */
export async function forwardRequest({
  request,
  response,
  url,
  requestId,
  times,
  onStream,
}: Forwarding): Promise<void> {
  const outgoing = open(new URL(url), request, requestId)
  const leave = () => outgoing.destroy()
  response.once('close', leave)
  try {
    const incoming = await answerOf(outgoing, request, times)
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.rawHeaders))
    response.flushHeaders()
    if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
      outgoing.setTimeout(times.streamMs)
      onStream?.()
    }
    await pipeline(incoming, response).catch(() => response.destroy())
  } finally {
    response.off('close', leave)
  }
}

/** Only the path comes from the client: as a part of a URL, `//host/` would name another host. */
function open(cell: URL, { method, url, rawHeaders, headers }: IncomingMessage, requestId: string) {
  const isSecure = cell.protocol === 'https:'
  const request = isSecure ? httpsRequest : httpRequest
  const kept = passedOn(rawHeaders, ['host', 'x-request-id', 'expect'])
  const isChunked = headers['transfer-encoding'] !== undefined
  return request(cell.origin, {
    method: method ?? 'GET',
    path: url ?? '/',
    agent: isSecure ? agents.https : agents.http,
    headers: [
      ...kept,
      ...['host', cell.host, 'x-request-id', requestId],
      ...(isChunked ? ['transfer-encoding', 'chunked'] : []),
    ],
  })
}

function answerOf(
  outgoing: ReturnType<typeof httpRequest>,
  request: IncomingMessage,
  { connectMs, answerMs }: CellTimes,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => outgoing.destroy(new Error('the cell does not accept connections')), connectMs)
    outgoing.setTimeout(answerMs + askedWaitMs(request))
    outgoing.on('timeout', () => outgoing.destroy(new CellSilent('the cell does not answer')))
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(late))
      else clearTimeout(late)
    })
    outgoing.once('response', resolve)
    outgoing.on('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    if (hasBody(request)) request.pipe(outgoing)
    else outgoing.end()
  })
}

/** A request without one can be sent again. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Names and values in turn, as Node has them. */
function passedOn(rawHeaders: readonly string[], left: readonly string[] = []): string[] {
  const dropped = new Set([...hopByHop, ...left])
  return rawHeaders.filter((_, index) => !dropped.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()))
}
