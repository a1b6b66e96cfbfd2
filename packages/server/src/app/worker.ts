// The part of a process that executes runs: claims, leases, models, tools and memory.
import { randomUUID } from 'node:crypto'
import { builtInTools as documentedTools, runTools } from '@runwright/contract'
import { ClockWatch } from '../engine/clock-watch.ts'
import { defaultProviderRetry, type ProviderRetry } from '../engine/context/agent-limits.ts'
import type { EngineParts, RoleModels } from '../engine/context/engine-parts.ts'
import type { AgentSource } from '../engine/context/run-agents.ts'
import { Engine, type Unfinished } from '../engine/engine.ts'
import { LeaseKeeper } from '../engine/lease-keeper.ts'
import { SlotLimit } from '../engine/slot-limit.ts'
import { watchSends } from '../engine/watch-sends.ts'
import { embedMemory } from '../maintenance/embed-memory.ts'
import { AgentMemory } from '../memory/agent-memory.ts'
import type { Embedder } from '../memory/embedders/embedder.ts'
import { OfflineEmbedder } from '../memory/embedders/offline-embedder.ts'
import { Breakers } from '../models/breaker.ts'
import type { Recorder } from '../models/cassette/recorder.ts'
import { BudgetGuard } from '../runs/budget-guard.ts'
import { suspectRule } from '../runs/recovery.ts'
import type { Periodic } from '../runtime/periodic.ts'
import { findPublicUrl } from '../runtime/settings/public-url.ts'
import type { ProcessGuard } from '../runtime/watchdog/process-guard.ts'
import type { Database } from '../store/postgres/database.ts'
import { OutageRetryBudget } from '../store/postgres/outage-retry-budget.ts'
import { claimSession } from '../store/run-log/claim-statement.ts'
import { LeaseThread } from '../store/run-log/lease-thread.ts'
import { RunClaimer } from '../store/run-log/run-claimer.ts'
import type { RunLog } from '../store/run-log/run-log.ts'
import { removeWorker, showWorker } from '../store/runs/workers.ts'
import { combineObservers } from '../telemetry/combine-observers.ts'
import { engineMetrics } from '../telemetry/engine-metrics.ts'
import { engineSpans } from '../telemetry/traces/engine-spans.ts'
import { watchEngine } from '../telemetry/watch-engine.ts'
import { watchMcpServers } from '../telemetry/watch-mcp-servers.ts'
import { builtInTools } from '../tools/built-in/built-in-tools.ts'
import { memorySave } from '../tools/built-in/memory-save.ts'
import { memorySearch } from '../tools/built-in/memory-search.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import { createFetchFile, type FetchFile } from '../tools/http-fetch/fetch-file.ts'
import type { McpServerConfig } from '../tools/mcp/config.ts'
import { McpServers } from '../tools/mcp/servers.ts'
import { storedPins } from '../tools/mcp/tool-pins.ts'
import type { PolicyRules } from '../tools/policy/policy.ts'
import { ToolCatalogue } from '../tools/port/catalogue.ts'
import { sentLateMessage } from '../tools/port/look-before-writes.ts'
import { NotSent, type Tool } from '../tools/port/tool.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import type { MailService } from '../webhooks/mail/attempt-mails.ts'
import type { MailAddresses } from '../webhooks/mail/mail-addresses.ts'
import { findUnknownCustomers, keepMailCustomers } from '../webhooks/mail/mail-customers.ts'
import { MailPace } from '../webhooks/mail/mail-pace.ts'
import { createSendMail, type SendMail } from '../webhooks/mail/send-mail.ts'
import { createPostMessage, type PostMessage } from '../webhooks/post-message.ts'
import type { Core } from './core.ts'

export interface WorkerOptions {
  readonly models: RoleModels
  /** The models of an agent or a run that names its own. Default: there are none. */
  readonly findModels?: EngineParts['findModels']
  /** Opens such models. Default: nothing is opened. */
  readonly openModels?: ((list: string) => Promise<unknown>) | undefined
  /** Keeps the calls to models of each run that ends in this process. */
  readonly recorder?: Recorder
  /** How failed model calls are retried. Defaults come from the settings. */
  readonly providerRetry?: Partial<ProviderRetry>
  readonly tools?: readonly Tool[]
  /** How attachments are fetched. Tests replace the network. */
  readonly fetchFile?: FetchFile
  /** How messages to webhooks are sent. Tests replace the network. */
  readonly postMessage?: PostMessage
  /** Who gets mail. Left out: no one. */
  readonly mail?: MailAddresses | undefined
  /** How mail is sent. Default: through the server of the settings. */
  readonly sendMail?: SendMail
  /** Default: the offline model. */
  readonly embedder?: Embedder
}

type WorkerPartOptions = WorkerOptions & {
  readonly mcpServers: readonly McpServerConfig[]
  readonly ownTools: readonly Tool[]
  readonly policy: PolicyRules
  readonly agents: AgentSource
}

/**
 * How long a worker rests without a wake-up. The process that sweeps wakes a worker for runs that others missed, so a
 * worker looks for itself only rarely, unless it cannot be woken.
 */
const pollMs = { listening: 10_000, otherwise: 1_000 }

export class Worker {
  readonly #core: Core
  readonly #id = randomUUID()
  readonly #retryBudget = new OutageRetryBudget()
  readonly #runLog: RunLog
  /** Apart from the changes: a run whose row is locked must not delay claims, nor one renewal the next. */
  readonly #claims: Database
  readonly #leaseThread: LeaseThread | undefined
  readonly #leases: LeaseKeeper
  readonly #clockWatch: ClockWatch
  readonly #mcp: McpServers
  readonly #budgets: BudgetGuard
  readonly #memory: AgentMemory
  readonly #breakers: Breakers
  readonly #deliveries: Database
  readonly #deliverer: Deliverer
  readonly #engine: Engine
  readonly #limit: SlotLimit
  readonly #mail: MailAddresses | undefined
  readonly #jobs: readonly Periodic[]
  #subscriptions: (() => void)[] = []

  constructor(core: Core, options: WorkerPartOptions) {
    this.#core = core
    const { database, logger } = core
    const { embedder = new OfflineEmbedder() } = options
    this.#runLog = core.openRunLog(this.#retryBudget)
    this.#claims = core.openLog('claims', { pipeline: false, maxConnections: 2, session: claimSession })
    const leaseMs = core.settings.engine.leaseSeconds * 1000
    const identity = { workerId: this.#id, leaseMs, keys: core.keys, suspects: suspectRule(core.recovery) }
    const claimer = new RunClaimer(this.#claims, core.announce, identity)
    this.#leaseThread = core.guard && this.#createLeaseThread(core.guard)
    this.#leases = new LeaseKeeper(claimer, leaseMs, this.#leaseThread)
    this.#clockWatch = new ClockWatch({
      everyMs: Math.min(250, leaseMs / 20),
      maxLateMs: leaseMs / 3,
      onPause: (lateMs) => this.#giveUpAll(lateMs),
    })
    this.#mcp = new McpServers(options.mcpServers, {
      logger,
      pins: storedPins(database),
      onChange: () => void this.#show().catch(() => undefined),
    })
    this.#budgets = new BudgetGuard({ database })
    this.#memory = new AgentMemory({ database, embedder, logger })
    this.#breakers = new Breakers((model, isOpen) => this.#tellBreaker(model, isOpen))
    this.#engine = this.#createEngine(claimer, options)
    this.#deliveries = core.openDeliveries()
    this.#deliverer = this.#createDeliverer(options)
    this.#limit = new SlotLimit(core.settings.engine.workerConcurrency)
    this.#mail = options.mail
    this.#jobs = this.#createJobs(embedder)
    core.minute.watchPlaces(() => this.#places())
    if (core.metrics) {
      watchEngine(core.metrics, this.#engine, this.#limit)
      watchMcpServers(core.metrics, this.#mcp)
    }
  }

  start(): void {
    const { logger, signals } = this.#core
    const { committed, ready, budgets, changed, deliveries } = signals
    this.#mcp.start()
    this.#memory.start()
    this.#subscriptions = [
      watchSends({ look: () => this.#lookBeforeSend(), sentLate: () => logger.warn(sentLateMessage) }),
      committed.subscribe((changes) => this.#engine.onCommitted(changes)),
      ready.subscribe(() => this.#engine.poke()),
      budgets.subscribe(() => this.#budgets.forget()),
      deliveries.subscribe((from) => this.#deliverer.poke(from)),
      changed.subscribe((runIds) => void this.#engine.onChanged(runIds).catch(() => undefined)),
    ]
    this.#core.delivers = true
    this.#deliverer.poke()
    this.#clockWatch.start()
    this.#engine.start()
    this.#core.wakeUps.setWorker(this.#engine)
    for (const job of this.#jobs) job.start()
    this.#startMail().catch((error: unknown) => logger.warn({ err: error }, 'who gets mail could not be stored'))
    this.#show().catch(() => undefined)
  }

  async stop(report?: (unfinished: Unfinished) => void): Promise<void> {
    await this.#engine.stop(report)
    this.#clockWatch.stop()
    this.#core.delivers = false
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    await Promise.all([this.#deliverer.stop(), this.#mcp.stop(), ...this.#jobs.map((job) => job.stop())])
    this.#leaseThread?.stop()
    await this.#memory.stop()
    await this.#runLog.drain()
    await removeWorker(this.#core.database, this.#id).catch(() => undefined)
    await Promise.all([this.#claims.close(), this.#deliveries.close()])
  }

  #createLeaseThread({ thread, heartbeat }: ProcessGuard): LeaseThread {
    const { connection, settings, logger } = this.#core
    const { leaseSeconds, heartbeatSeconds } = settings.engine
    return new LeaseThread({
      thread,
      heartbeat,
      connection,
      workerId: this.#id,
      leaseMs: leaseSeconds * 1000,
      everyMs: heartbeatSeconds * 1000,
      onProblem: (problem) => logger.warn({ problem }, 'the worker is late, and its leases could not be renewed'),
    })
  }

  #createEngine(claimer: RunClaimer, options: WorkerPartOptions): Engine {
    const { settings, database, logger, recovery, liveSecrets, schemas } = this.#core
    const { models, tools = builtInTools(), policy, ownTools, agents } = options
    const { fetchFile = createFetchFile() } = options
    const {
      providerRetrySeconds,
      providerSilenceSeconds: _,
      agentsDir: __,
      skillsDir: ___,
      ...limits
    } = settings.agents
    const memoryTools = [memorySave(this.#memory), memorySearch(this.#memory)]
    return new Engine({
      models,
      ...(options.findModels && { findModels: options.findModels }),
      allowedModels: settings.models.allowed,
      agents,
      breakers: this.#breakers,
      limits,
      providerRetry: { ...defaultProviderRetry, giveUpMs: providerRetrySeconds * 1000, ...options.providerRetry },
      catalogue: new ToolCatalogue([...tools, ...ownTools, ...memoryTools], [this.#mcp]),
      schemas: schemas.runs,
      policy,
      fetchFile,
      recall: this.#memory.recall,
      budgets: this.#budgets,
      recovery,
      stepTimeoutSeconds: settings.engine.stepTimeoutSeconds,
      logger,
      observer: this.#observe([...tools, ...ownTools].map(({ name }) => name)),
      database,
      runLog: this.#runLog,
      retryBudget: this.#retryBudget,
      claimer,
      leases: this.#leases,
      concurrency: settings.engine.workerConcurrency,
      suspects: suspectRule(recovery),
      liveSecrets,
      board: this.#core.guard?.board,
      recorder: options.recorder,
      onRoom: (hasRoom) => this.#core.wakeUps.publishRoom(hasRoom),
      onUnserved: () => this.#core.wakeUps.wakeOne(),
      pollMs: () => (this.#core.wakeUps.isListening ? pollMs.listening : pollMs.otherwise),
    })
  }

  /** Other cells share the file of addresses, so a customer that is not here is no error. */
  async #startMail(): Promise<void> {
    await this.#keepMail()
    const customers = this.#mail ? await findUnknownCustomers(this.#core.database, this.#mail) : []
    if (customers.length > 0)
      this.#core.logger.warn({ customers }, 'RUNWRIGHT_MAIL names customers that this service does not have')
  }

  /** Without mail once, at the start: then no customer gets mail any more. */
  async #keepMail(): Promise<void> {
    const { database, keys, logger } = this.#core
    const counts = await keepMailCustomers({ database, keyring: keys.keyring, addresses: this.#mail })
    if (counts.enabled + counts.disabled > 0) logger.info(counts, 'customers that get mail, as the settings say')
  }

  #mailService({ mail: addresses, sendMail }: WorkerPartOptions): MailService | undefined {
    const { smtpUrl } = this.#core.settings.mail
    const send = sendMail ?? (smtpUrl === undefined ? undefined : createSendMail({ url: smtpUrl }))
    return addresses && send && { addresses, send, pace: new MailPace() }
  }

  #createDeliverer(options: WorkerPartOptions): Deliverer {
    const { postMessage } = options
    const { keys, logger, settings, wakeUps, metrics } = this.#core
    const database = this.#deliveries
    const post = postMessage ?? createPostMessage({ rules: endpointRules(settings.webhooks.privateAddresses) })
    const onFull = () => wakeUps.publishDeliveries()
    const onAttempt = (outcome: string) => metrics?.of.webhookAttempts.inc({ outcome })
    const { publicUrl } = settings.http
    return new Deliverer({
      ...{ database, keys, post, mail: this.#mailService(options), logger, onFull, onAttempt },
      ...{ publicUrl, consoleUrl: findPublicUrl(settings.http) },
    })
  }

  #observe(ownTools: readonly string[]) {
    const { metrics, tracing } = this.#core
    const known = new Set<string>([...documentedTools, ...runTools, ...ownTools])
    const isListed = (name: string) => this.#mcp.tools().some((tool) => tool.name === name)
    return combineObservers([
      this.#core.runLines.observer,
      ...(metrics ? [engineMetrics(metrics, (name) => known.has(name))] : []),
      ...(tracing ? [engineSpans(tracing, (name) => known.has(name) || isListed(name))] : []),
    ])
  }

  #createJobs(embedder: Embedder): Periodic[] {
    const { database, settings } = this.#core
    const { leaseSeconds, heartbeatSeconds } = settings.engine
    const every = this.#core.every.bind(this.#core)
    return [
      every(heartbeatSeconds * 1000, 'renew leases', () => this.#leases.runOnce()),
      every(Math.min(1_000, leaseSeconds * 100), 'give up leases', () => this.#leases.giveUpOverdue()),
      every(1_000, 'limit slots', async () => this.#limitSlots()),
      every(4_000, 'know budgets', () => this.#budgets.runOnce()),
      every(15_000, 'show worker', () => this.#show()),
      every(15_000, 'recheck MCP tools', () => this.#mcp.recheck()),
      ...(this.#mail ? [every(60_000, 'keep customers of mail', () => this.#keepMail())] : []),
      every(15_000, 'embed memory', (signal) => embedMemory({ database, embedder, signal })),
    ]
  }

  /** What was about to be sent when the process was paused is not sent: it may be too late for it. */
  #lookBeforeSend(): void {
    if (this.#clockWatch.look()) throw new NotSent()
  }

  #places() {
    const { short, default: regular, long } = this.#engine.taken
    return { busy: short + regular + long, places: this.#core.settings.engine.workerConcurrency }
  }

  #limitSlots(): void {
    const { busy: executing } = this.#places()
    const slotsBefore = this.#limit.slots
    this.#limit.look({ lagMs: this.#clockWatch.takeWorstLateMs(), lostLeases: this.#leases.takeGivenUp(), executing })
    this.#engine.limit(this.#limit)
    if (this.#limit.slots < slotsBefore) this.#tellFewerSlots()
  }

  #giveUpAll(lateMs: number): void {
    this.#leases.giveUpAll()
    this.#core.logger.warn({ late_ms: Math.round(lateMs) }, 'this process stood still; its runs are given up')
  }

  #tellFewerSlots(): void {
    this.#core.logger.warn({ places: this.#limit.slots }, 'this worker falls behind; it takes fewer runs at a time')
    this.#show().catch(() => undefined)
  }

  #show(): Promise<void> {
    const { slots: places } = this.#limit
    const mcpServers = this.#mcp.states
    return showWorker(this.#core.database, { id: this.#id, places, breakers: this.#breakers.open, mcpServers })
  }

  #tellBreaker(model: string, isOpen: boolean): void {
    this.#core.logger.warn({ model }, isOpen ? 'model keeps failing; no calls for 30 s' : 'model answers again')
    this.#show().catch(() => undefined)
  }
}
