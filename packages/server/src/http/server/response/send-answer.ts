// Writes the answer of a handler to Node's response: at once, compressed, or in pieces as fast as the client reads.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, minCompressedBytes } from './content-encoding.ts'
import type { Answer } from './handler.ts'
import { securityHeaders } from './security-headers.ts'
import { type UnreadAnswers, unreadMs } from './unread-answers.ts'

const fixedHeaders = { 'content-type': 'application/json; charset=utf-8', ...securityHeaders }
const fixedHeaderList = Object.entries(fixedHeaders).flat()

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly unread: UnreadAnswers
}

/** Synchronous if the answer is small, because most are. */
export function sendAnswer(exchange: Exchange, answer: Answer): void | Promise<void> {
  const { body } = answer
  if (typeof body === 'object' && Symbol.asyncIterator in body) return sendPieces(exchange, answer, body)
  return sendWhole(exchange, answer, typeof body === 'string' ? body : JSON.stringify(body))
}

function sendWhole(exchange: Exchange, answer: Answer, text: string): void | Promise<void> {
  const length = Buffer.byteLength(text)
  if (length < minCompressedBytes) return sendText(exchange, answer, text, length)
  return sendLong(exchange, answer, text, length)
}

/** A flat list of names and values is the form that Node copies least. */
function sendText({ request, reply }: Exchange, { status = 200, headers }: Answer, text: string, length: number) {
  reply.hijack()
  if (headers) {
    reply.raw.writeHead(status, { ...fixedHeaders, 'x-request-id': request.id, 'content-length': length, ...headers })
  } else {
    reply.raw.writeHead(status, [...fixedHeaderList, 'x-request-id', request.id, 'content-length', String(length)])
  }
  end(reply, text)
}

async function sendLong(exchange: Exchange, answer: Answer, text: string, length: number): Promise<void> {
  const { request, reply, unread } = exchange
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const body = encoding ? await encoding.compress(text) : text
  const bytes = encoding ? body.length : length
  reply.hijack()
  reply.raw.writeHead(answer.status ?? 200, {
    ...longHeaders(exchange, answer, encoding?.name),
    'content-length': bytes,
  })
  end(reply, body)
  if (request.principal) unread.add(request.principal.customerId, bytes, reply.raw)
}

/** One write to the socket: `end(text)` would add a second, empty one. */
function end(reply: FastifyReply, body: string | Buffer): void {
  reply.raw.write(body)
  reply.raw.socket?.uncork()
  reply.raw.end()
}

/** An answer of one piece is sent as a whole. An error in the first two pieces still gets an error answer. */
async function sendPieces(exchange: Exchange, answer: Answer, pieces: AsyncIterable<string>): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  const second = first.done ? first : await iterator.next()
  if (second.done) return sendWhole(exchange, answer, first.done ? '' : first.value)
  return streamPieces(exchange, answer, continued([first.value, second.value], iterator))
}

async function* continued(begun: readonly string[], iterator: AsyncIterator<string>) {
  yield* begun
  yield* { [Symbol.asyncIterator]: () => iterator }
}

/** Rejects if a piece cannot be made. The connection is closed then: the client sees that the answer is incomplete. */
async function streamPieces(exchange: Exchange, answer: Answer, pieces: AsyncIterable<string>): Promise<void> {
  const { request, reply } = exchange
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  reply.hijack()
  reply.raw.writeHead(answer.status ?? 200, longHeaders(exchange, answer, encoding?.name))
  if (request.method === 'HEAD') {
    reply.raw.end()
    return
  }
  reply.raw.setTimeout(unreadMs, () => reply.raw.destroy())
  const readable = Readable.from(pieces, { objectMode: false, highWaterMark: 1 })
  await (encoding ? pipeline(readable, encoding.createStream(), reply.raw) : pipeline(readable, reply.raw))
}

function longHeaders({ request }: Exchange, { headers }: Answer, encoding: string | undefined) {
  const vary = [headers?.vary, 'accept-encoding'].filter((name) => name !== undefined).join(', ')
  return {
    ...fixedHeaders,
    ...headers,
    'x-request-id': request.id,
    vary,
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  }
}
