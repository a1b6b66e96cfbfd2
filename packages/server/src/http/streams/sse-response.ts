// A response of Server-Sent Events: keeps the connection alive and disconnects a client that does not read.
import type { ServerResponse } from 'node:http'
import { sseErrorName } from '@runwright/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorAnswer } from '../server/response/error-answer.ts'
import { securityHeaders } from '../server/response/security-headers.ts'

export interface StreamTimes {
  readonly idleMs: number
  readonly keepAliveMs: number
  /** The idle timeout after the run has ended and all events were sent. */
  readonly endedMs: number
  /** How long a client may leave pending data unread. */
  readonly slowReaderMs: number
}

interface SseOptions {
  readonly requestId: string
  /** The client has read everything that was written ahead. */
  readonly onDrain: () => void
}

export class SseResponse {
  readonly #response: ServerResponse
  readonly #requestId: string
  #lastWriteAt = performance.now()
  #blockedSince: number | undefined

  constructor(response: ServerResponse, { requestId, onDrain }: SseOptions) {
    this.#response = response
    this.#requestId = requestId
    response.on('drain', () => {
      this.#blockedSince = undefined
      onDrain()
    })
    this.write('retry: 1000\n\n')
  }

  /** The client has not read what was written. */
  get isBlocked(): boolean {
    return this.#blockedSince !== undefined
  }

  get unreadBytes(): number {
    return this.#response.writableLength
  }

  write(text: string): void {
    this.#lastWriteAt = performance.now()
    const flowing = this.#response.write(text)
    if (!flowing) this.#blockedSince ??= this.#lastWriteAt
  }

  end(): void {
    this.#response.end()
  }

  /** Sends the error, then closes the stream. */
  fail(error: unknown): void {
    const { body } = errorAnswer(error, { requestId: this.#requestId })
    this.#response.end(`event: ${sseErrorName}\ndata: ${JSON.stringify(body)}\n\n`)
  }

  /** Disconnects a client that does not read, and sends keep-alive comments. */
  tick(times: StreamTimes, now: number): void {
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince >= times.slowReaderMs) this.#response.destroy()
    } else if (now - this.#lastWriteAt >= times.keepAliveMs) this.write(': keep-alive\n\n')
  }
}

export function startStream(request: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.raw.writeHead(200, {
    ...securityHeaders,
    'x-request-id': request.id,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  return reply.raw
}
