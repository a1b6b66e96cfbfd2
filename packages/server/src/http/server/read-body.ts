// Reads a request body as UTF-8 text up to the maximum size. Errors use the reason codes of the route.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { maxBodyBytes, type ReasonCode } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'

export interface BodyReasons {
  readonly invalid: ReasonCode
  readonly tooLarge: ReasonCode
}

const jsonMediaType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Undefined if there is no body. */
export function readBody(request: IncomingMessage, reasons: BodyReasons): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(reasons)
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBodyBytes) return void chunks.push(chunk)
      chunks.length = 0
      reject(tooLarge(reasons))
    })
    request.on('end', () => {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const problem = problemOf(bytes, request.headers['content-type'])
      if (problem) reject(new ServiceError(reasons.invalid, problem))
      else resolve(bytes.length === 0 ? undefined : bytes.toString('utf8'))
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
