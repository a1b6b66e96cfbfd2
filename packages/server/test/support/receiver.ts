// An endpoint of a webhook on loopback: records what it receives, and answers as a test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookMessage } from '@runwright/contract'
import { Occurrences } from './occurrences.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Answer = (response: ServerResponse, request: Received) => void

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end('ok')

/** Keeps the connection open without a response. */
export const never: Answer = () => undefined

export class Receiver {
  readonly received = new Occurrences<Received>()
  /** How the next requests are answered, by default with 204. */
  answer: Answer = answerWith(204)
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
      this.received.add(received)
      this.answer(response, received)
    })
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  get messages(): WebhookMessage[] {
    return this.received.all.map(({ body }) => JSON.parse(body))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
