// The composition root: puts the parts of a process together, starts them in order, and stops them again. No logic.
import { randomUUID } from 'node:crypto'
import { builtInTools as documentedTools, openApiDocument } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { Authenticator } from './access/authenticator.ts'
import type { KnownTools } from './domain/plan/plan.ts'
import type { LiveSecrets } from './domain/secrets/live-secrets.ts'
import { defaultProviderRetry, type ProviderRetry } from './engine/context/agent-limits.ts'
import type { RoleModels } from './engine/context/execution-context.ts'
import { Engine } from './engine/engine.ts'
import { LeaseKeeper } from './engine/lease-keeper.ts'
import { EventFeed } from './events/event-feed.ts'
import { EventHub } from './events/event-hub.ts'
import { WakeUps } from './events/wake-ups.ts'
import { consoleRoutes } from './http/pages/console.ts'
import { docsRoutes } from './http/pages/docs.ts'
import { budgetHandlers } from './http/routes/budgets.ts'
import { eventHandlers } from './http/routes/events.ts'
import { mountHealth } from './http/routes/health.ts'
import { keyHandlers } from './http/routes/keys.ts'
import { memoryHandlers } from './http/routes/memory.ts'
import { runCommandHandlers } from './http/routes/run-commands.ts'
import { runHandlers } from './http/routes/runs.ts'
import { usageHandlers } from './http/routes/usage.ts'
import { Gate, shuttingDown } from './http/server/gate.ts'
import { createHttpServer } from './http/server/http-server.ts'
import { LoadMonitor } from './http/server/load-monitor.ts'
import { mountRoutes } from './http/server/mount-routes.ts'
import { RateLimiter } from './http/server/rate-limiter.ts'
import { EventStreams } from './http/streams/event-streams.ts'
import { BudgetGuard } from './lifecycle/budget-guard.ts'
import { QueueLimit } from './lifecycle/queue-limit.ts'
import { embedMemory } from './maintenance/embed-memory.ts'
import { UsageFolder } from './maintenance/fold-usage.ts'
import { forgetBatches } from './maintenance/forget-batches.ts'
import { ValueSealer } from './maintenance/seal-values.ts'
import { sweepDeadlines } from './maintenance/sweep-deadlines.ts'
import { sweepLeases } from './maintenance/sweep-leases.ts'
import { sweepWaits } from './maintenance/sweep-waits.ts'
import { AgentMemory } from './memory/agent-memory.ts'
import type { Embedder } from './memory/embedders/embedder.ts'
import { OfflineEmbedder } from './memory/embedders/offline-embedder.ts'
import { Breakers } from './models/breaker.ts'
import type { Grouping } from './runtime/batcher.ts'
import type { Logger } from './runtime/logger.ts'
import { Periodic } from './runtime/periodic.ts'
import type { EncryptionKeys, Secrets } from './runtime/secrets.ts'
import { limitsByClass, type Settings } from './runtime/settings/settings.ts'
import { version } from './runtime/version.ts'
import { type ConnectionOptions, Database, type DatabaseOptions } from './store/postgres/database.ts'
import { logSession } from './store/run-log/change-statement.ts'
import { RunClaimer } from './store/run-log/run-claimer.ts'
import { RunCreator } from './store/run-log/run-creator.ts'
import { type Announce, RunLog } from './store/run-log/run-log.ts'
import { removeWorker, showWorker } from './store/runs/workers.ts'
import { SealingKeys } from './store/sealed/sealing-keys.ts'
import { builtInTools } from './tools/built-in/built-in-tools.ts'
import { memorySave } from './tools/built-in/memory-save.ts'
import { memorySearch } from './tools/built-in/memory-search.ts'
import { type McpServerConfig, mayExist } from './tools/mcp/config.ts'
import { McpServers } from './tools/mcp/servers.ts'
import { defaultPolicy, type PolicyRules } from './tools/policy/policy.ts'
import { ToolCatalogue } from './tools/port/catalogue.ts'
import type { Tool } from './tools/port/tool.ts'

export interface AppOptions {
  readonly settings: Settings
  readonly connection: ConnectionOptions
  readonly secrets: EncryptionKeys & Pick<Secrets, 'keyPepper'>
  readonly logger: Logger
  /** What `logger` keeps out of its lines. */
  readonly liveSecrets?: LiveSecrets
  /** Left out: this process serves no HTTP. */
  readonly api?: { readonly grouping?: Grouping }
  /** Left out: this process executes no runs. */
  readonly worker?: {
    readonly models: RoleModels
    /** How failed calls to models are repeated; what is left out follows the settings. */
    readonly providerRetry?: Partial<ProviderRetry>
    readonly tools?: readonly Tool[]
    /** Left out: the offline model. */
    readonly embedder?: Embedder
    /** The operator's rules for tools; left out: each tool's own. */
    readonly policy?: PolicyRules
  }
  /** Whose tools runs may use; a process that executes runs connects to them. */
  readonly mcpServers?: readonly McpServerConfig[]
  /** The operator's own: every process knows their names, one that executes runs calls them. */
  readonly ownTools?: readonly Tool[]
}

export interface App {
  /** The door through which this process changes runs. */
  readonly runLog: RunLog
  /** Resolves with the address it listens on, if it does. */
  start(): Promise<string | undefined>
  stop(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const core = createCore(options)
  const { mcpServers = [], ownTools = [] } = options
  const worker = options.worker && createWorker(core, { ...options.worker, mcpServers, ownTools })
  const added = [...ownTools, ...(options.worker?.tools ?? [])]
  const listed = new Set<string>([...documentedTools, ...added.map(({ name }) => name)])
  const knownTools = { has: (name: string) => listed.has(name) || mayExist(mcpServers, name) }
  const api = options.api && createApi(core, { ...options.api, knownTools })
  return {
    runLog: core.runLog,
    start: async () => {
      await core.keys.open()
      core.start()
      worker?.start()
      return api?.start()
    },
    stop: async () => {
      // While steps come to their end the API still answers, that it is shutting down.
      api?.shutDown()
      await worker?.stop()
      await api?.stop()
      await core.stop()
    },
  }
}

/** What every process has: the log, the hub, wake-ups between processes, and the sweeps. */
function createCore({ settings, connection, secrets, logger, liveSecrets }: AppOptions) {
  const database = new Database({ connection, maxConnections: 8, applicationName: 'runwright' })
  const keys = new SealingKeys(database, secrets)
  const openLog = (more: Partial<DatabaseOptions> = {}) =>
    new Database({ connection, maxConnections: 2, applicationName: 'runwright log', session: logSession, ...more })
  const logDatabase = openLog()
  const hub = new EventHub()
  const listeners: {
    hear?: Announce
    ready?: () => void
    changed?: (runIds: readonly string[]) => void
    budgets?: () => void
  } = {}
  const wakeUps = new WakeUps({
    connection,
    hub,
    sender: randomUUID(),
    onReady: () => listeners.ready?.(),
    onChanged: (runIds) => listeners.changed?.(runIds),
    onBudgets: () => listeners.budgets?.(),
  })
  const announce: Announce = (committed) => {
    hub.publish(committed)
    listeners.hear?.(committed)
    wakeUps.tell(committed)
  }
  const tellOfBudgets = () => {
    listeners.budgets?.()
    wakeUps.tellOfBudgets()
  }
  const runLog = new RunLog(logDatabase, announce)
  const onError = (job: string) => (error: unknown) => logger.warn({ err: error, job }, 'background job failed')
  const every = (everyMs: number, job: string, runOnce: (signal: AbortSignal) => Promise<unknown>) =>
    new Periodic({ everyMs, runOnce, onError: onError(job) })
  const { leaseSeconds, recoveryDelaySeconds: delaySeconds, maxRecoveries } = settings.engine
  const recovery = { delaySeconds, maxRecoveries }
  const action = settings.limits.signalTimeoutAction
  const hasPrevious = (secrets.previousEncryptionKeys ?? []).length > 0
  const sealer = new ValueSealer({ database, keys, logger, hasPrevious })
  const usageFolder = new UsageFolder(database)
  const jobs = [
    every(Math.min(1_000, leaseSeconds * 250), 'sweep leases', () => sweepLeases({ database, runLog, rule: recovery })),
    every(500, 'sweep deadlines', () => sweepDeadlines({ database, runLog })),
    every(500, 'sweep waits', () => sweepWaits({ database, runLog, action })),
    every(60_000, 'forget batches', () => forgetBatches(database)),
    every(10_000, 'seal values', () => sealer.runOnce()),
    every(1_000, 'fold usage', () => usageFolder.runOnce()),
  ]
  return {
    settings,
    secrets,
    keys,
    liveSecrets,
    logger,
    database,
    openLog,
    hub,
    runLog,
    announce,
    tellOfBudgets,
    listeners,
    every,
    recovery,
    start: () => {
      wakeUps.start()
      for (const job of jobs) job.start()
    },
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
      await runLog.drain()
      await wakeUps.stop()
      await Promise.all([database.close(), logDatabase.close()])
    },
  }
}

type Core = ReturnType<typeof createCore>

type WorkerOptions = NonNullable<AppOptions['worker']> & Required<Pick<AppOptions, 'mcpServers' | 'ownTools'>>

function createWorker(core: Core, options: WorkerOptions) {
  const { models, tools = builtInTools(), embedder = new OfflineEmbedder(), mcpServers, ownTools } = options
  const { policy = defaultPolicy } = options
  const { settings, database, runLog, logger, recovery } = core
  const { leaseSeconds, heartbeatSeconds, workerConcurrency, stepTimeoutSeconds } = settings.engine
  const workerId = randomUUID()
  const claimDatabase = core.openLog()
  const claimer = new RunClaimer(claimDatabase, core.announce, {
    workerId,
    leaseMs: leaseSeconds * 1000,
    keys: core.keys,
  })
  const leases = new LeaseKeeper(claimer, leaseSeconds * 1000)
  const mcp = new McpServers(mcpServers, logger)
  const budgets = new BudgetGuard({ database })
  const memory = new AgentMemory({ database, embedder, logger })
  const breakers = new Breakers((model, isOpen) =>
    logger.warn({ model }, isOpen ? 'a model fails again and again: no calls for 30 s' : 'a model answers again'),
  )
  const { providerRetrySeconds, providerSilenceSeconds: _, ...limits } = settings.agents
  const giveUpMs = providerRetrySeconds * 1000
  const engine = new Engine({
    models,
    breakers,
    limits,
    providerRetry: { ...defaultProviderRetry, giveUpMs, ...options.providerRetry },
    catalogue: new ToolCatalogue([...tools, ...ownTools, memorySave(memory), memorySearch(memory)], [mcp]),
    policy,
    recall: memory.recall,
    budgets,
    recovery,
    stepTimeoutSeconds,
    logger,
    database,
    runLog,
    claimer,
    leases,
    concurrency: workerConcurrency,
    liveSecrets: core.liveSecrets,
  })
  const jobs = [
    core.every(heartbeatSeconds * 1000, 'renew leases', () => leases.runOnce()),
    core.every(Math.min(1_000, leaseSeconds * 100), 'give up leases', async () => leases.giveUpOverdue()),
    core.every(2_000, 'know budgets', () => budgets.runOnce()),
    core.every(15_000, 'show worker', () => showWorker(database, workerId)),
    core.every(5_000, 'embed memory', (signal) => embedMemory({ database, embedder, signal })),
  ]
  return {
    start: () => {
      mcp.start()
      memory.start()
      core.listeners.hear = (committed) => engine.hear(committed)
      core.listeners.ready = () => engine.poke()
      core.listeners.budgets = () => budgets.forget()
      core.listeners.changed = (runIds) => void engine.hearOf(runIds).catch(() => undefined)
      engine.start()
      for (const job of jobs) job.start()
      showWorker(database, workerId).catch(() => undefined)
    },
    stop: async () => {
      await engine.stop()
      await Promise.all([mcp.stop(), ...jobs.map((job) => job.stop())])
      await memory.stop()
      await removeWorker(database, workerId).catch(() => undefined)
      await claimDatabase.close()
    },
  }
}

interface ApiOptions extends NonNullable<AppOptions['api']> {
  readonly knownTools: KnownTools
}

function createApi(core: Core, { grouping = {}, knownTools }: ApiOptions) {
  const { settings, secrets, logger, database, runLog, hub } = core
  const createDatabase = core.openLog(grouping.lanes ? { maxConnections: grouping.lanes } : { pipeline: true })
  const creator = new RunCreator(createDatabase, core.announce, grouping)
  const feed = new EventFeed(database, hub)
  const authenticator = new Authenticator({ database, keyPepper: secrets.keyPepper })
  const load = new LoadMonitor(() => Math.max(runLog.behindMs, creator.behindMs))
  const gate = new Gate({
    authenticator,
    rateLimiter: new RateLimiter(settings.http.rateLimitPerSecond),
    load,
  })
  const streams = new EventStreams({
    database,
    feed,
    times: {
      idleMs: settings.streams.idleSeconds * 1000,
      keepAliveMs: settings.streams.keepaliveSeconds * 1000,
      endedMs: 2_000,
      slowReaderMs: 30_000,
    },
    maxPerKey: 1_000,
    recheckKeys: (keyIds) => authenticator.recheck(keyIds),
  })
  const http = createHttpServer({ gate, logger })
  mountAll(http, { core, creator, authenticator, gate, knownTools })
  streams.mount(http, gate)
  mountHealth(http, { database, gate })
  consoleRoutes(http, { folder: new URL('../../console/dist/', import.meta.url) })
  docsRoutes(http, { document: JSON.stringify(openApiDocument({ version })) })
  const jobs = [
    core.every(750, 'event poll', () => feed.runOnce()),
    core.every(1_000, 'key use', () => authenticator.runOnce()),
  ]
  return {
    start: async () => {
      load.start()
      streams.start()
      for (const job of jobs) job.start()
      return http.listen({ host: settings.http.host, port: settings.http.port })
    },
    shutDown: () => {
      gate.shutDown()
      streams.stop(shuttingDown())
    },
    stop: async () => {
      await http.close()
      load.stop()
      await Promise.all(jobs.map((job) => job.stop()))
      await Promise.all([creator.drain(), authenticator.runOnce().catch(() => undefined)])
      await createDatabase.close()
    },
  }
}

interface Mounting {
  readonly core: Core
  readonly creator: RunCreator
  readonly authenticator: Authenticator
  readonly gate: Gate
  readonly knownTools: KnownTools
}

function mountAll(http: FastifyInstance, { core, creator, authenticator, gate, knownTools }: Mounting): void {
  const { settings, secrets, keys, database, runLog } = core
  const { hashBody, keyring } = keys
  mountRoutes(http, gate, {
    ...runHandlers(database, {
      creator,
      queueLimit: new QueueLimit(database, settings.limits.queueLimit),
      hashBody,
      keyring,
      limits: limitsByClass(settings.limits),
      knownTools,
      workerIsSandbox: settings.models.worker === 'sandbox',
    }),
    ...runCommandHandlers({ database, runLog, hashBody, keys }),
    ...eventHandlers(database),
    ...usageHandlers({ database }),
    ...budgetHandlers({ database, onChanged: core.tellOfBudgets }),
    ...memoryHandlers({ database }),
    ...keyHandlers({ database, authenticator, keyPepper: secrets.keyPepper }),
  })
}
