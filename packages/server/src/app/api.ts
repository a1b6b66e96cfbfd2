// The part of a process that serves HTTP: routes, streams, pages and health probes.
import { openApiDocument } from '@runwright/contract'
import type { FastifyInstance } from 'fastify'
import { Authenticator } from '../access/authenticator.ts'
import { ConsoleSessions } from '../access/console-sessions.ts'
import type { SignInCodes } from '../access/sign-in-codes.ts'
import type { CurrentAgents } from '../agents/definitions/agent-set.ts'
import type { KnownTools } from '../domain/plan/plan.ts'
import { CustomerChanges } from '../events/customer-changes.ts'
import { EventFeed } from '../events/event-feed.ts'
import { clientPackageRoutes } from '../http/pages/client-package.ts'
import { consoleRoutes } from '../http/pages/console.ts'
import { consoleSessionRoutes } from '../http/pages/console-session.ts'
import { docsRoutes } from '../http/pages/docs.ts'
import { agentHandlers } from '../http/routes/agents.ts'
import { auditHandlers } from '../http/routes/audit.ts'
import { budgetHandlers } from '../http/routes/budgets.ts'
import { eventHandlers } from '../http/routes/events.ts'
import { mountHealth } from '../http/routes/health.ts'
import { keyHandlers } from '../http/routes/keys.ts'
import { memoryHandlers } from '../http/routes/memory.ts'
import { runCommandHandlers } from '../http/routes/run-commands.ts'
import { openRunPage } from '../http/routes/run-page.ts'
import { runHandlers } from '../http/routes/runs.ts'
import { scheduleHandlers } from '../http/routes/schedules.ts'
import { toolHandlers } from '../http/routes/tools.ts'
import { turnHandlers } from '../http/routes/turns.ts'
import { usageHandlers } from '../http/routes/usage.ts'
import { webhookHandlers } from '../http/routes/webhooks.ts'
import { Gate, shuttingDown } from '../http/server/admission.ts'
import { Drain } from '../http/server/drain.ts'
import { createHttpServer } from '../http/server/http-server.ts'
import { LoadMonitor } from '../http/server/load-monitor.ts'
import { mountRoutes } from '../http/server/mount-routes.ts'
import { RateLimiter } from '../http/server/rate-limiter.ts'
import { CustomerStreams } from '../http/streams/customer-streams.ts'
import { EventStreams } from '../http/streams/event-streams.ts'
import { EventWaits } from '../http/streams/event-waits.ts'
import { toContent } from '../http/streams/live-run-page.ts'
import { LiveRunPages, type PageKey } from '../http/streams/live-run-pages.ts'
import { OpenStreams } from '../http/streams/open-streams.ts'
import { RunListStreams } from '../http/streams/run-list-streams.ts'
import type { Grouping } from '../runtime/batcher.ts'
import { customerRateOf } from '../runtime/settings/settings.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../store/postgres/database.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { countResponse, deliveryObserver } from '../telemetry/watch-http.ts'
import { flushObserver, watchLag } from '../telemetry/watch-log.ts'
import { InstalledTools, type InstalledToolsOptions } from '../tools/listing/installed-tools.ts'
import { endpointRules } from '../webhooks/endpoint-rules.ts'
import { limitConnections, requestTimeoutsOf } from './connections.ts'
import type { Core } from './core.ts'
import { creationIn } from './creation.ts'
import { siteFolder } from './site-folder.ts'

export interface ApiOptions {
  readonly grouping?: Grouping
  /** Left out: there are no sign-in links. */
  readonly signInCodes?: SignInCodes
  /** How long it goes on answering after it has said that it leaves, if a load balancer watches. Tests shorten it. */
  readonly announceMs?: number
}

interface ApiPartOptions extends ApiOptions {
  readonly knownTools: KnownTools
  readonly installed: Omit<InstalledToolsOptions, 'database'>
  readonly agents: CurrentAgents
}

export function createApi(core: Core, { grouping = {}, announceMs = 5_000, ...options }: ApiPartOptions) {
  const { signInCodes, knownTools, installed, agents } = options
  const { settings, secrets, logger, database, hub, metrics } = core
  // Apart from the changes of runs: a create does not wait for a run whose row is locked.
  const creates = core.openLog('creates', grouping.lanes ? { pipeline: false, maxConnections: grouping.lanes } : {})
  const reads = core.openReads()
  const creator = new RunCreator(creates, core.announce, { ...grouping, onFlush: flushObserver(metrics, 'creates') })
  const feed = new EventFeed(database, hub)
  const authenticator = new Authenticator({ database, keyPepper: secrets.keyPepper })
  const sessions = new ConsoleSessions({ database, keyPepper: secrets.keyPepper, authenticator })
  const load = new LoadMonitor({
    behindMs: () => Math.max(core.behindMs, creator.behindMs),
    problem: () => database.writes.recentWriteProblem,
  })
  const gate = new Gate({
    authenticator,
    sessions,
    keyLimiter: new RateLimiter('API key', settings.http.rateLimitPerSecond),
    customerLimiter: new RateLimiter('customer', customerRateOf(settings.http)),
    load,
  })
  const streams = new OpenStreams({
    times: {
      idleMs: settings.streams.idleSeconds * 1000,
      keepAliveMs: settings.streams.keepaliveSeconds * 1000,
      endedMs: 2_000,
      slowReaderMs: 30_000,
    },
    maxPerKey: 1_000,
    maxPerCustomer: 4_000,
    recheckKeys: (keyIds) => authenticator.recheck(keyIds),
    recheckSessions: (sessionIds) => sessions.recheck(sessionIds),
  })
  const changes = new CustomerChanges()
  core.signals.committed.subscribe((committed) => changes.note(committed))
  core.signals.changed.subscribe((words) => changes.noteMarks(words))
  const lists = createListStreams({ core, reads, agents, streams, changes })
  const allEvents = new CustomerStreams({ database: reads, changes, open: streams })
  const onRefused = metrics && ((reason: string) => metrics.of.refusedConnections.inc({ reason }))
  const connections = limitConnections(settings.http, { logger, onRefused })
  const http = createHttpServer({
    gate,
    logger,
    connections,
    timeouts: requestTimeoutsOf(settings.http),
    corsOrigins: settings.http.corsOrigins,
    isTraced: core.tracing !== undefined,
    onAnswered: metrics && ((answered) => countResponse(metrics, answered)),
  })
  const tools = new InstalledTools({ ...installed, database })
  const waits = new EventWaits({ database, feed, open: streams })
  mountAll(http, { core, reads, creator, authenticator, gate, knownTools, tools, agents, waits })
  new EventStreams({ database, feed, open: streams, onDelivered: deliveryObserver(metrics) }).mount(http, gate)
  lists.mount(http, gate)
  allEvents.mount(http, gate)
  const drain = new Drain({ server: http.server, announceMs })
  mountHealth(http, { database, gate, drain })
  consoleRoutes(http, { folder: siteFolder('console') })
  consoleSessionRoutes(http, { gate, sessions, signInCodes })
  clientPackageRoutes(http, { folder: siteFolder('client'), version })
  docsRoutes(http, {
    document: JSON.stringify(openApiDocument()),
    folder: siteFolder('docs'),
  })
  if (metrics) {
    watchLag(metrics, 'creates', creator)
    metrics.beforeRead(() => {
      metrics.of.streams.set(streams.count)
      metrics.of.httpConnections.set(connections.open)
    })
  }
  const jobs = [
    core.every(750, 'event poll', () => feed.runOnce()),
    core.every(1_000, 'key use', () => authenticator.runOnce()),
  ]
  return {
    start: async () => {
      load.start()
      streams.start()
      lists.start()
      allEvents.start()
      for (const job of jobs) job.start()
      return http.listen({ host: settings.http.host, port: settings.http.port })
    },
    shutDown: async () => {
      gate.leave()
      await drain.announce()
      // What a balancer still sends on open connections is answered as usual.
      await drain.clientsLeft()
      gate.shutDown()
      streams.stop(shuttingDown())
      lists.stop()
      allEvents.stop()
    },
    stop: async () => {
      await drain.end(() => http.close())
      load.stop()
      await Promise.all(jobs.map((job) => job.stop()))
      await Promise.all([creator.drain(), authenticator.runOnce().catch(() => undefined)])
      await Promise.all([reads.close(), creates.close()])
    },
  }
}

/** A page of a list is sent as one message, so it has a smaller limit than that of a request. */
const maxLivePageBytes = 512 * 1024

interface ListStreamParts extends Pick<Mounting, 'core' | 'reads' | 'agents'> {
  readonly streams: OpenStreams
  readonly changes: CustomerChanges
}

function createListStreams({ core, reads, agents, streams, changes }: ListStreamParts): RunListStreams {
  const sources = { database: reads, agents, keys: core.keys }
  const read = async (key: PageKey) => toContent(await openRunPage(sources, { ...key, maxBytes: maxLivePageBytes }))
  return new RunListStreams({ pages: new LiveRunPages({ read, changes }), open: streams })
}

interface Mounting {
  readonly core: Core
  readonly reads: Database
  readonly creator: RunCreator
  readonly authenticator: Authenticator
  readonly gate: Gate
  readonly knownTools: KnownTools
  readonly tools: InstalledTools
  readonly agents: CurrentAgents
  readonly waits: EventWaits
}

function mountAll(http: FastifyInstance, mounting: Mounting): void {
  const { core, reads, creator, authenticator, gate, knownTools, tools, agents, waits } = mounting
  const { settings, secrets, keys, database, runLog, logger } = core
  const { hashBody, keyring } = keys
  const creation = creationIn(core, creator, { knownTools, agents })
  mountRoutes(
    http,
    { gate, logger },
    {
      ...runHandlers(
        { one: { database, keys, agents }, many: { database: reads, keys, agents } },
        { ...creation, database, keys },
      ),
      ...scheduleHandlers({ database, reads, keyring, intake: creation, hashBody }),
      ...runCommandHandlers({ database, runLog, announce: core.announce, hashBody, keys }),
      ...agentHandlers(agents),
      ...toolHandlers(tools),
      ...eventHandlers(waits),
      ...turnHandlers(reads),
      ...usageHandlers({ database: reads }),
      ...budgetHandlers({ database, reads, onChanged: core.announceBudgets }),
      ...memoryHandlers({ reads, database }),
      ...keyHandlers({ database, authenticator, keyPepper: secrets.keyPepper, hashBody }),
      ...webhookHandlers({
        database,
        reads,
        keyring,
        keyPepper: secrets.keyPepper,
        hashBody,
        rules: endpointRules(settings.webhooks.privateAddresses),
        onDeliveries: core.announceDeliveries,
      }),
      ...auditHandlers(reads),
    },
  )
}
