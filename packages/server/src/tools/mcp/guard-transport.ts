// Guards a connection to an MCP server against what the server sends: secrets that the service has given to it, values
// that nest too deeply, and more messages than anyone needs.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { nestsDeeper } from '../../domain/json/nests-deeper.ts'
import type { SecretTexts } from '../../domain/secrets/secret-texts.ts'
import { OrderedDelivery } from './ordered-delivery.ts'

interface GuardOptions {
  /** What the server must not repeat. */
  readonly secrets: SecretTexts
  /** Called at most once. Continues the sentence "The server is not connected (…)". */
  readonly onAbuse: (reason: string) => void
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** A result has at most 64 levels, in some levels of the protocol. Code that recurses over a message is safe. */
const maxDepth = 100
/** Messages that are not answers: so many at once, and so many a second after that. */
const burst = 10_000
const perSecond = 200
/** Answers to questions of the server that it has not read yet. */
const maxUnreadAnswers = 100

export function guardTransport(
  transport: Transport,
  { secrets, onAbuse, now = () => performance.now() }: GuardOptions,
) {
  let isAbused = false
  const abuse = (reason: string) => {
    if (!isAbused) onAbuse(reason)
    isAbused = true
  }
  const allowance = new Allowance(now)
  const delivery = new OrderedDelivery({
    onError: (error) => transport.onerror?.(error),
    onTooMany: () => abuse('it sends more than can be read'),
  })
  wrapHandler(transport, 'onmessage', (handler) => (message, extra) => {
    if ('method' in message && !allowance.take()) abuse('it sent too many messages')
    if (isAbused) return
    delivery.add(readMessage(message, secrets), (read) => {
      if (read !== undefined && !isAbused) handler(read, extra)
    })
  })
  // A server may answer and exit: the answer comes first.
  wrapHandler(transport, 'onclose', (handler) => () => delivery.add(nothing(), handler))
  limitAnswers(transport, () => abuse('it asks more than it reads'))
}

type Handlers = Required<Pick<Transport, 'onmessage' | 'onclose'>>

/** The SDK sets a handler, and a probe of it reads the handler of before and sets it again. */
function wrapHandler<Name extends keyof Handlers>(
  transport: Transport,
  name: Name,
  wrap: (handler: NonNullable<Handlers[Name]>) => NonNullable<Handlers[Name]>,
): void {
  type Handler = NonNullable<Handlers[Name]>
  let wrapped: Handler | undefined
  const known = new WeakSet<Handler>()
  Object.defineProperty(transport, name, {
    get: () => wrapped,
    set: (next: Handler | undefined) => {
      wrapped = next === undefined || known.has(next) ? next : wrap(next)
      if (wrapped) known.add(wrapped)
    },
  })
}

function* nothing(): Generator<void, void> {}

/** As it may be handled. Undefined: not at all. Yields where the work can be interrupted. */
function* readMessage(message: JSONRPCMessage, secrets: SecretTexts): Generator<void, JSONRPCMessage | undefined> {
  if (yield* nestsDeeper(message, maxDepth)) return tooDeep(message)
  return secrets.isEmpty ? message : ((yield* secrets.scrubValue(message)) as JSONRPCMessage)
}

/** A server that does not read would fill the memory with answers, or open a connection for each. */
function limitAnswers(transport: Transport, onTooMany: () => void): void {
  const send = transport.send.bind(transport)
  let unread = 0
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options)
    unread += 1
    if (unread > maxUnreadAnswers) onTooMany()
    try {
      await send(message, options)
    } finally {
      unread -= 1
    }
  }
}

/** An answer must arrive as one, or its call would wait until its timeout. */
function tooDeep(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if ('method' in message || message.id === undefined) return undefined
  const error = { code: -32_603, message: 'The MCP server sent a value that nests too deeply.' }
  return { jsonrpc: '2.0', id: message.id, error }
}

/** A token bucket. */
class Allowance {
  readonly #now: () => number
  #left = burst
  #at: number

  constructor(now: () => number) {
    this.#now = now
    this.#at = now()
  }

  take(): boolean {
    const at = this.#now()
    this.#left = Math.min(burst, this.#left + ((at - this.#at) / 1000) * perSecond) - 1
    this.#at = at
    return this.#left >= 0
  }
}
