// A shop on loopback that counts what it is paid, over three protocols: plain HTTP for a tool of the operator, MCP over
// HTTP, and MCP with a program that passes calls on (`mcp-desk.mjs`). Each invoice is an own call.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Occurrences } from './occurrences.ts'

export interface Payment {
  readonly invoice: string
  /** The idempotency key that came with the call. */
  readonly key: string
  readonly at: number
}

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly arguments?: { readonly invoice: string }
    readonly _meta?: Readonly<Record<string, string>>
  }
}

const payTool = { name: 'pay', description: 'Pays an invoice.', inputSchema: { type: 'object', properties: {} } }

/** How MCP answers a payment, other than that it was made. */
type McpAnswer = (response: ServerResponse, id: number) => void

export const mcpAnswers = {
  toolError: reply((id) => ({ id, result: { content: [{ type: 'text', text: 'declined' }], isError: true } })),
  protocolError: (code: number) => reply((id) => ({ id, error: { code, message: 'refused' } })),
  status:
    (status: number): McpAnswer =>
    (response) =>
      response.writeHead(status).end(),
  cut: ((response) => response.destroy()) as McpAnswer,
}

function reply(message: (id: number) => object): McpAnswer {
  return (response, id) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', ...message(id) }))
}

export class Shop {
  readonly received = new Occurrences<Payment>()
  /** By invoice: what the answer to the first call over plain HTTP waits for. */
  readonly held = new Map<string, Promise<unknown>>()
  /** By invoice: how a call over MCP is answered. It is counted all the same. */
  readonly answers = new Map<string, McpAnswer>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** For `RUNWRIGHT_MCP_CONFIG`. */
  mcpServers(more: object = {}) {
    const program = join(import.meta.dirname, 'mcp-desk.mjs')
    return {
      shop: { url: `${this.url}/mcp`, ...more },
      desk: { command: process.execPath, args: [program, this.url], ...more },
    }
  }

  /** The module of a tool. */
  toolModule({ name = 'pay', effect = 'once', timeoutSeconds = 60 } = {}): string {
    return `
export default {
  name: '${name}',
  description: 'Pays an invoice.',
  effect: '${effect}',
  timeoutSeconds: ${timeoutSeconds},
  input: { type: 'object', properties: { invoice: { type: 'string' } }, required: ['invoice'] },
  run: async ({ invoice }, { signal, idempotencyKey }) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const body = JSON.stringify({ invoice })
    const response = await fetch('${this.url}/pay/' + invoice, { method: 'POST', headers, body, signal })
    return response.json()
  },
}`
  }

  get payments(): readonly Payment[] {
    return this.received.all
  }

  paymentsOf(invoice: string): Payment[] {
    return this.payments.filter((payment) => payment.invoice === invoice)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const [, path, invoice = ''] = (request.url ?? '').split('/')
    if (path === 'mcp') return this.#serveMcp(request, response, body)
    this.#count(invoice, String(request.headers['idempotency-key']))
    if (this.paymentsOf(invoice).length === 1) await this.held.get(invoice)
    response.end('{"paid":true}')
  }

  #serveMcp(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(body) as Message
    if (id === undefined) return void response.writeHead(202).end()
    const result = this.#answer(method, params)
    const answer = this.answers.get(params?.arguments?.invoice ?? '') ?? reply(() => ({ id, result }))
    answer(response, id)
  }

  #answer(method: string, params: Message['params']): object {
    if (method === 'tools/list') return { tools: [payTool] }
    if (method !== 'tools/call') {
      const serverInfo = { name: 'shop', version: '1' }
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
    }
    this.#count(params?.arguments?.invoice ?? '', params?._meta?.['runwright/idempotency_key'] ?? '')
    return { content: [{ type: 'text', text: 'paid' }] }
  }

  #count(invoice: string, key: string): void {
    this.received.add({ invoice, key, at: performance.now() })
  }
}
