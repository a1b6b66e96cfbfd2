// Clients that hold a connection without finishing their request.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { parseRaw, type Reply } from './http.ts'

export class SlowClient {
  readonly #socket: Socket
  #received = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#received += text
    })
    // A server that refuses a client may reset the connection.
    socket.on('error', () => undefined)
  }

  static async open(url: string): Promise<SlowClient> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const client = new SlowClient(socket)
    await once(socket, 'connect')
    return client
  }

  /** A client that has begun to send a body, and whose request the server has seen. */
  static async post(url: string, authorization: string): Promise<SlowClient> {
    const client = await SlowClient.open(url)
    client.send(
      `POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nIdempotency-Key: a\r\n` +
        'Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{',
    )
    await client.received('100 Continue')
    return client
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  /** What it received until the server closed the connection. */
  async closed(): Promise<string> {
    if (!this.#socket.closed) await once(this.#socket, 'close')
    return this.#received
  }

  /** The answer to a request, after which the server closes the connection. */
  async ask(path: string, headers = ''): Promise<Reply> {
    this.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
    return parseRaw(await this.closed())
  }

  leave(): Promise<unknown> {
    const closed = once(this.#socket, 'close')
    this.#socket.destroy()
    return closed
  }

  async received(words: string): Promise<void> {
    while (!this.#received.includes(words)) await once(this.#socket, 'data')
  }
}
