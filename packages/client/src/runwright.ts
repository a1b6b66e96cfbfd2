// The client: its options and its resources.
import { Budgets } from './budgets.ts'
import { Events } from './events.ts'
import type { ApiKey, Fetch } from './fetch-layers.ts'
import { Health } from './health.ts'
import { Keys } from './keys.ts'
import { Memory } from './memory.ts'
import { Runs } from './runs.ts'
import { Transport } from './transport.ts'
import { Usage } from './usage.ts'

export interface RunwrightOptions {
  /** Where the service is, without `/v1`; in a browser `''` is the page's own host. */
  readonly baseUrl: string
  /** `<key_id>:<secret>`, or a function that gives the one to use now. */
  readonly apiKey: ApiKey
  /** Instead of the global one. */
  readonly fetch?: Fetch | undefined
  /** For one attempt, body included; streams have none. 30,000 by default. */
  readonly timeoutMs?: number | undefined
  /** How many attempts may follow a failed one. 5 by default, 0 turns retries off. */
  readonly maxRetries?: number | undefined
  /** The first wait before another attempt; it doubles each time. 1,000 by default. */
  readonly initialRetryDelayMs?: number | undefined
  /** 30,000 by default. */
  readonly maxRetryDelayMs?: number | undefined
}

const checkedUrl = (baseUrl: string) => {
  // The base is for paths such as `/api`; `http:` alone or `runs.example.com:8080` are mistakes.
  const url = URL.canParse(baseUrl, 'http://localhost') ? new URL(baseUrl, 'http://localhost') : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TypeError(`"${baseUrl}" is not an HTTP address`)
  return baseUrl
}

export class Runwright {
  readonly runs: Runs
  readonly events: Events
  readonly usage: Usage
  readonly budgets: Budgets
  readonly memory: Memory
  readonly keys: Keys
  readonly health: Health

  constructor(options: RunwrightOptions) {
    const transport = new Transport({
      baseUrl: checkedUrl(options.baseUrl),
      apiKey: options.apiKey,
      // Called as a plain function: browsers refuse a fetch that belongs to another object.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timeoutMs: options.timeoutMs ?? 30_000,
      maxRetries: options.maxRetries ?? 5,
      initialDelayMs: options.initialRetryDelayMs ?? 1_000,
      maxDelayMs: options.maxRetryDelayMs ?? 30_000,
    })
    this.events = new Events(transport)
    this.runs = new Runs(transport, this.events)
    this.usage = new Usage(transport)
    this.budgets = new Budgets(transport)
    this.memory = new Memory(transport)
    this.keys = new Keys(transport)
    this.health = new Health(transport)
  }
}
