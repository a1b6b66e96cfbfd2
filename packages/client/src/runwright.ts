// The client with its options and resources.
import { Agents } from './agents.ts'
import { Audit } from './audit.ts'
import { Budgets } from './budgets.ts'
import { Events } from './events.ts'
import type { ApiKey, Fetch } from './fetch-layers.ts'
import { Health } from './health.ts'
import { Keys } from './keys.ts'
import { Memory } from './memory.ts'
import { Runs } from './runs.ts'
import { Schedules } from './schedules.ts'
import { Tools } from './tools.ts'
import { Transport } from './transport.ts'
import { Usage } from './usage.ts'
import { Webhooks } from './webhooks.ts'

export interface RunwrightOptions {
  /** The URL of the service, without `/v1`. In a browser, `''` means the host of the page. */
  readonly baseUrl: string
  /** `<key_id>:<secret>`, or a function that returns the current key. */
  readonly apiKey: ApiKey
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** The timeout of one attempt, including the body. Does not apply to streams. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries. Default: 5. 0 disables retries. */
  readonly maxRetries?: number | undefined
  /** The delay before the first retry; it doubles each time. Default: 1,000. */
  readonly initialRetryDelayMs?: number | undefined
  /** Default: 30,000. */
  readonly maxRetryDelayMs?: number | undefined
}

const checkedUrl = (baseUrl: string) => {
  // The base allows paths such as `/api`. `http:` alone and `runs.example.com:8080` are mistakes.
  const url = URL.canParse(baseUrl, 'http://localhost') ? new URL(baseUrl, 'http://localhost') : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TypeError(`baseUrl must be an HTTP URL, but is "${baseUrl}"`)
  return baseUrl
}

export class Runwright {
  readonly runs: Runs
  readonly events: Events
  readonly agents: Agents
  readonly tools: Tools
  readonly usage: Usage
  readonly budgets: Budgets
  readonly memory: Memory
  readonly keys: Keys
  readonly schedules: Schedules
  readonly webhooks: Webhooks
  readonly audit: Audit
  readonly health: Health

  constructor(options: RunwrightOptions) {
    const transport = new Transport({
      baseUrl: checkedUrl(options.baseUrl),
      apiKey: options.apiKey,
      // Called as a plain function: browsers refuse `fetch` as a method of another object.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timeoutMs: options.timeoutMs ?? 30_000,
      maxRetries: options.maxRetries ?? 5,
      initialDelayMs: options.initialRetryDelayMs ?? 1_000,
      maxDelayMs: options.maxRetryDelayMs ?? 30_000,
    })
    this.events = new Events(transport)
    this.runs = new Runs(transport, this.events)
    this.agents = new Agents(transport)
    this.tools = new Tools(transport)
    this.usage = new Usage(transport)
    this.budgets = new Budgets(transport)
    this.memory = new Memory(transport)
    this.keys = new Keys(transport)
    this.schedules = new Schedules(transport)
    this.webhooks = new Webhooks(transport)
    this.audit = new Audit(transport)
    this.health = new Health(transport)
  }
}
