// The client with its resources.
import { Agents } from './agents.ts'
import { Audit } from './audit.ts'
import { Budgets } from './budgets.ts'
import { Events } from './events.ts'
import { Health } from './health.ts'
import { Keys } from './keys.ts'
import { Memory } from './memory.ts'
import { checkOptions, type RunwrightOptions } from './options.ts'
import { Runs } from './runs.ts'
import { Schedules } from './schedules.ts'
import { Tokens } from './tokens.ts'
import { Tools } from './tools.ts'
import { Transport } from './transport.ts'
import { Usage } from './usage.ts'
import { Webhooks } from './webhooks.ts'

export class Runwright {
  readonly runs: Runs
  readonly events: Events
  readonly agents: Agents
  readonly tools: Tools
  readonly usage: Usage
  readonly budgets: Budgets
  readonly memory: Memory
  readonly keys: Keys
  readonly tokens: Tokens
  readonly schedules: Schedules
  readonly webhooks: Webhooks
  readonly audit: Audit
  readonly health: Health

  /** Throws a TypeError with one sentence if an option is missing or wrong. */
  constructor(options: RunwrightOptions = {}) {
    const transport = new Transport(checkOptions(options))
    this.events = new Events(transport)
    this.runs = new Runs(transport, this.events)
    this.agents = new Agents(transport)
    this.tools = new Tools(transport)
    this.usage = new Usage(transport)
    this.budgets = new Budgets(transport)
    this.memory = new Memory(transport)
    this.keys = new Keys(transport)
    this.tokens = new Tokens(transport)
    this.schedules = new Schedules(transport)
    this.webhooks = new Webhooks(transport)
    this.audit = new Audit(transport)
    this.health = new Health(transport)
  }
}
