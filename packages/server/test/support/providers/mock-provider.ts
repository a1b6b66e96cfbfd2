// A strict mock of a model provider: a real HTTP server on loopback that refuses what the provider refuses, answers
// what the script says, and records all of it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { anthropicFormat } from './anthropic/format.ts'
import { deliver, type Parcel, passGate } from './delivery.ts'
import { Gate } from './gate.ts'
import { geminiFormat } from './gemini/format.ts'
import { Ledger } from './ledger.ts'
import { openAiChatFormat } from './openai-chat/format.ts'
import { openAiResponsesFormat } from './openai-responses/format.ts'
import { Refusal } from './refusal.ts'
import type { NeutralRequest, Reply, Script } from './script.ts'
import type { IncomingCall, PlainAnswer, ProviderOptions, WireFormat } from './wire-format.ts'

const formats = {
  'openai-chat': openAiChatFormat,
  anthropic: anthropicFormat,
  'openai-responses': openAiResponsesFormat,
  gemini: geminiFormat,
} satisfies Record<string, (options: ProviderOptions) => WireFormat>

export type ProviderFormat = keyof typeof formats
export const providerFormats = Object.keys(formats) as ProviderFormat[]

interface RefusedCall {
  readonly line: string
  readonly status: number
  readonly message: string
  /** As it came: text, if it is not JSON. */
  readonly body: unknown
}

export async function startMockProvider(
  format: ProviderFormat,
  script: Script,
  options: ProviderOptions = {},
): Promise<MockProvider> {
  const provider = new MockProvider(formats[format](options), script)
  await provider.listen()
  return provider
}

export class MockProvider {
  private readonly format: WireFormat
  private readonly script: Script
  private readonly server: Server
  private readonly accepted = new Ledger<NeutralRequest>()
  private readonly refused = new Ledger<RefusedCall>()
  private readonly abandoned = new Ledger<NeutralRequest>()
  private readonly stopped = new Ledger<NeutralRequest>()
  private gate: Gate | undefined
  private closing = false
  private connections = 0
  private calls = 0

  constructor(format: WireFormat, script: Script) {
    this.format = format
    this.script = script
    this.server = createServer((request, response) => void this.handle(request, response))
    this.server.on('connection', (socket) => {
      this.connections += 1
      socket.on('close', () => {
        this.connections -= 1
      })
    })
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    this.closing = true
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.format.basePath}`
  }

  /** Accepted ones. */
  get requests(): readonly NeutralRequest[] {
    return this.accepted.entries
  }

  get refusals(): readonly RefusedCall[] {
    return this.refused.entries
  }

  /** Requests whose client closed the connection before the answer had ended. */
  get aborts(): readonly NeutralRequest[] {
    return this.abandoned.entries
  }

  /** With those that clients keep open for later. */
  get openConnections(): number {
    return this.connections
  }

  /** Accepted requests whose answer has not ended. */
  get openCalls(): number {
    return this.calls
  }

  /** Resolves with the n-th accepted request, counted from 1. */
  received(count: number): Promise<NeutralRequest> {
    return this.accepted.entry(count)
  }

  /** Resolves with the request of the n-th aborted call, counted from 1. */
  aborted(count: number): Promise<NeutralRequest> {
    return this.abandoned.entry(count)
  }

  /** Resolves when the n-th answer, counted from 1, stops until a gate is released or the client gives up. */
  stalled(count: number): Promise<NeutralRequest> {
    return this.stopped.entry(count)
  }

  /** Accepted requests wait before the first byte of their answer until the gate is released. */
  hold(): Gate {
    this.gate = new Gate()
    return this.gate
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = incomingCall(request)
    let body: unknown
    try {
      const bytes = await text(request)
      body = bytes
      this.format.checkKey(call)
      body = parseBody(bytes, request)
      const aside = this.format.answerAside(call, body)
      if (aside !== undefined) return sendPlain(response, aside)
      if (!this.format.isModelCall(call)) throw new Refusal(`Unknown request URL: ${request.url}`, { status: 404 })
      const read = this.format.read(call, body)
      const { url = '', headers } = request
      await this.answer({ ...read, index: this.requests.length, url, headers }, response)
    } catch (error) {
      this.refuse({ line: `${request.method} ${request.url}`, body }, toRefusal(error), response)
    }
  }

  private refuse(call: Pick<RefusedCall, 'line' | 'body'>, refusal: Refusal, response: ServerResponse): void {
    if (response.destroyed) return
    this.refused.add({ ...call, status: refusal.status, message: refusal.message })
    sendPlain(response, { status: refusal.status, body: this.format.writeRefusal(refusal) })
  }

  private async answer(request: NeutralRequest, response: ServerResponse): Promise<void> {
    const abort = new AbortController()
    let isCut = false
    this.calls += 1
    response.on('close', () => {
      this.calls -= 1
      if (response.writableFinished || isCut) return
      abort.abort()
      if (!this.closing) this.abandoned.add(request)
    })
    this.accepted.add(request)
    const reply = await nextReply(this.script, request)
    const parcel = this.pack(reply, request)
    try {
      const cut = () => {
        isCut = true
        response.destroy()
      }
      const journey = { response, signal: abort.signal, cut, onStall: () => this.stopped.add(request) }
      if (this.gate !== undefined) await passGate(this.gate, journey)
      await deliver(parcel, journey)
    } catch (error) {
      if (!abort.signal.aborted) throw error
    }
  }

  private pack(reply: Reply, request: NeutralRequest): Parcel {
    const { delivery = {} } = reply
    const error = delivery.errorAfterChunks?.error
    const errorEvent = error && this.format.writeFailureEvent(error, request)
    if (reply.kind === 'fail') {
      const { status, headers = {}, body } = this.format.writeFailure(reply, request)
      return {
        ...plainParcel(body),
        status,
        headers: { ...jsonType, ...headers, ...headersOf(reply) },
        delivery,
        errorEvent,
      }
    }
    const { json, events, contentType } = this.format.write(reply, request)
    const streams = request.stream && !delivery.plainJson
    const headers = { 'content-type': streams ? contentType : jsonType['content-type'], ...headersOf(reply) }
    return { status: 200, headers, events: streams ? events : plainParcel(json).events, delivery, errorEvent }
  }
}

const jsonType = { 'content-type': 'application/json' }

const headersOf = ({ delivery = {} }: Reply): Record<string, string> => ({
  ...(delivery.contentType !== undefined && { 'content-type': delivery.contentType }),
  ...delivery.headers,
})

/** In two halves, so that a plain answer can be cut in the middle, too. */
function plainParcel(body: PlainAnswer['body']): Pick<Parcel, 'events'> {
  const whole = typeof body === 'string' ? body : JSON.stringify(body)
  const middle = Math.ceil(whole.length / 2)
  const halves = [whole.slice(0, middle), whole.slice(middle)]
  return { events: halves.map((half) => ({ text: half, isContent: true })) }
}

function incomingCall({ method = 'GET', url = '/', headers }: IncomingMessage): IncomingCall {
  return { method, url: new URL(url, 'http://127.0.0.1'), headers }
}

function parseBody(bytes: string, { method, headers }: IncomingMessage): unknown {
  if (method === 'GET') return undefined
  if (!headers['content-type']?.startsWith('application/json')) {
    throw new Refusal("Unsupported content type. This API method accepts only 'application/json' requests.")
  }
  try {
    return JSON.parse(bytes)
  } catch {
    throw new Refusal('We could not parse the JSON body of your request.')
  }
}

async function nextReply(script: Script, request: NeutralRequest): Promise<Reply> {
  const next = typeof script === 'function' ? script : script[request.index]
  if (next === undefined) throw new Refusal(`The mock's script ends before request ${request.index}.`)
  return typeof next === 'function' ? next(request) : next
}

function sendPlain(response: ServerResponse, { status, headers = {}, body }: PlainAnswer): void {
  response.writeHead(status, { ...jsonType, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** A script that throws, for example in an assertion, shows up among the refusals. */
const toRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(`The mock's script failed: ${error}`)
