// Reads a request body as UTF-8 text up to the maximum size, also a compressed one. Errors use the reason codes of the
// route.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { maxBodyBytes, type ReasonCode } from '@runwright/contract'
import { ServiceError } from '../../../domain/service-error.ts'

export interface BodyReasons {
  readonly invalid: ReasonCode
  readonly tooLarge: ReasonCode
}

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Undefined if there is no body. */
export async function readBody(request: IncomingMessage, reasons: BodyReasons): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(reasons)
  const bytes = isCompressed(request) ? await inflate(request, reasons) : await collect(request, request, reasons)
  const problem = problemOf(bytes, request.headers['content-type'])
  if (problem) throw new ServiceError(reasons.invalid, problem)
  return bytes.length === 0 ? undefined : bytes.toString('utf8')
}

/** Refuses what is neither gzip nor plain. */
function isCompressed({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return false
  if (encoding === 'gzip' || encoding === 'x-gzip') return true
  throw new ServiceError(
    'CONTENT_ENCODING_UNSUPPORTED',
    `Content-Encoding must be gzip or identity, not ${JSON.stringify(encoding.slice(0, 64))}.`,
  )
}

/** Inflates outside the event loop, while the body arrives, and no further than the maximum size. */
async function inflate(request: IncomingMessage, reasons: BodyReasons): Promise<Buffer> {
  const gunzip = createGunzip()
  // What is sent has the same limit: parts of it may inflate to nothing.
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > maxBodyBytes) gunzip.destroy(tooLarge(reasons))
  })
  request.pipe(gunzip)
  try {
    return await collect(request, gunzip, reasons)
  } finally {
    request.unpipe(gunzip)
    gunzip.destroy()
  }
}

/** The bytes of the source, which are those of the request or come from it. */
function collect(request: IncomingMessage, source: Readable, reasons: BodyReasons): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    source.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBodyBytes) return void chunks.push(chunk)
      chunks.length = 0
      reject(tooLarge(reasons))
    })
    source.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    source.on('error', (error) => {
      reject(error instanceof ServiceError ? error : new ServiceError(reasons.invalid, 'The body is not valid gzip.'))
    })
    request.on('close', () => {
      if (!request.readableEnded) reject(new ServiceError(reasons.invalid, 'The body ended before it was complete.'))
    })
  })
}

function problemOf(bytes: Buffer, contentType: string | undefined): string | undefined {
  if (bytes.length === 0) return undefined
  if (contentType !== undefined && !jsonMediaType.test(contentType)) {
    return 'The body must be JSON with Content-Type: application/json.'
  }
  return isUtf8(bytes) ? undefined : 'The body is not valid UTF-8.'
}

const tooLarge = ({ tooLarge }: BodyReasons) =>
  new ServiceError(tooLarge, `The body is larger than ${maxBodyBytes} bytes.`)
