// The shop as a server: carries out each action that it is sent, and logs it. The idempotency key is written down and
// not honoured. Some answers come late, and some never, after the effect.
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../random.ts'
import { type ShopAction, ShopWorld } from './shop-world.ts'

export interface Effect {
  /** The idempotency key of the call. */
  readonly key: string
  readonly action: ShopAction
  readonly receipt: string
  readonly at: number
}

export class ShopServer {
  readonly world = new ShopWorld()
  readonly effects: Effect[] = []
  readonly #random: Random
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /**
   * What a person sees who asks the shop now: also what has been sent and waits to be read, because the shop is busy.
   * The question comes in through the same door, behind all calls that were sent before.
   */
  async look(key: string): Promise<Effect | undefined> {
    await new Promise<void>((resolve, reject) => {
      const question = get(this.url, { agent: false }, (answer) => answer.resume().on('end', resolve))
      question.on('error', reject)
    })
    return this.effects.find((effect) => effect.key === key)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return this.#answerLook(response)
    const body = await text(request).catch(() => undefined)
    // What did not arrive whole has no effect.
    if (body === undefined) return
    const delay = this.#random.next() < 0.2 ? this.#random.between(0, 400) : this.#random.between(0, 30)
    const isLost = this.#random.next() < 0.02
    const action = JSON.parse(body) as ShopAction
    const receipt = this.world.apply(action)
    this.effects.push({ key: String(request.headers['idempotency-key']), action, receipt, at: performance.now() })
    await sleep(delay)
    if (isLost) return void response.destroy()
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ receipt }))
  }

  /** A connection is read in the turn after the one that accepts it, and its whole body a turn later. */
  async #answerLook(response: ServerResponse): Promise<void> {
    for (let turn = 0; turn < turnsOfACall; turn += 1) await nextTurn()
    response.end()
  }
}

/** With some to spare. */
const turnsOfACall = 10

const inputs: Readonly<Record<ShopAction['name'], Readonly<Record<string, string>>>> = {
  reserve: { sku: 'string', quantity: 'integer' },
  charge: { cents: 'integer' },
  ship: { payment: 'string' },
  refund: { cents: 'integer' },
  release: { sku: 'string', quantity: 'integer' },
  credit: { cents: 'integer' },
}
export const toolNames = Object.keys(inputs) as ShopAction['name'][]
export const toolTimeoutSeconds = 1

/** The modules of the tools, by their files. */
export const toolModules = (url: string): Record<string, string> =>
  Object.fromEntries(toolNames.map((name) => [`${name}.mjs`, moduleOf(name, url)]))

function moduleOf(name: ShopAction['name'], url: string): string {
  const fields = { order: 'string', ...inputs[name] }
  const properties = Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, { type }]))
  const schema = { type: 'object', properties, required: Object.keys(fields), additionalProperties: false }
  return `
export default {
  name: '${name}',
  description: 'The shop: ${name}.',
  effect: 'once',
  timeoutSeconds: ${toolTimeoutSeconds},
  input: ${JSON.stringify(schema)},
  run: async ({ payment, ...input }, { signal, idempotencyKey }) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const body = JSON.stringify({ name: '${name}', ...input })
    const response = await fetch('${url}', { method: 'POST', headers, body, signal })
    return response.json()
  },
}`
}
