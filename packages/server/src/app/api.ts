// The part of a process that serves HTTP: routes, streams, pages and health probes.
import type { PriceList } from '@runwright/contract'
import { Authenticator } from '../access/authenticator.ts'
import { ConsoleSessions } from '../access/console-sessions.ts'
import type { MakeSignIns } from '../access/sign-in/open-sign-ins.ts'
import type { SignInCodes } from '../access/sign-in-codes.ts'
import type { CurrentAgents } from '../agents/definitions/agent-set.ts'
import type { KnownTools } from '../domain/plan/plan.ts'
import { decisionLinkPage } from '../http/pages/decide/decision-link-page.ts'
import { mountHealth } from '../http/routes/health.ts'
import { Gate } from '../http/server/admission/admission.ts'
import { EventLoopLag } from '../http/server/admission/event-loop-lag.ts'
import { LimitWalls } from '../http/server/admission/limit-walls.ts'
import { LoadMonitor } from '../http/server/admission/load-monitor.ts'
import { RateLimiter } from '../http/server/admission/rate-limiter.ts'
import { Drain } from '../http/server/connections/drain.ts'
import { createHttpServer } from '../http/server/http-server.ts'
import type { Grouping } from '../runtime/batcher.ts'
import { customerRateOf } from '../runtime/settings/settings.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { countResponse } from '../telemetry/watch-http.ts'
import { flushObserver, watchLag } from '../telemetry/watch-log.ts'
import { InstalledTools, type InstalledToolsOptions } from '../tools/installed-tools.ts'
import { mountPages } from './api-pages.ts'
import { mountApiRoutes } from './api-routes.ts'
import { createStreams } from './api-streams.ts'
import { limitConnections, requestTimeoutsOf } from './connections.ts'
import type { Core } from './core.ts'
import { decisionsIn } from './decisions.ts'

export interface ApiOptions {
  readonly grouping?: Grouping
  /** Left out: there are no sign-in links. */
  readonly signInCodes?: SignInCodes | undefined
  /** With an identity provider. Left out: people sign in with keys only. */
  readonly openSignIns?: MakeSignIns | undefined
  /** The prices that the console computes costs with. Left out: it shows none. */
  readonly prices?: PriceList | undefined
  /** How long a session of the console is cached. Tests shorten it. */
  readonly sessionCacheMs?: number
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
  const { settings, secrets, logger, database, metrics } = core
  // Apart from the changes of runs: a create does not wait for a run whose row is locked.
  const creates = core.openLog('creates', grouping.lanes ? { pipeline: false, maxConnections: grouping.lanes } : {})
  const reads = core.openReads()
  const creator = new RunCreator(creates, core.announce, { ...grouping, onFlush: flushObserver(metrics, 'creates') })
  const authenticator = new Authenticator({ database, keyPepper: secrets.keyPepper })
  const keyStore = { database, keyPepper: secrets.keyPepper }
  const signIns = options.openSignIns?.({ ...keyStore, authenticator, logger })
  const sessions = new ConsoleSessions({
    ...{ ...keyStore, authenticator, renewals: signIns },
    ...(options.sessionCacheMs !== undefined && { maxAgeMs: options.sessionCacheMs }),
  })
  if (signIns) signIns.sessions = sessions
  const lag = new EventLoopLag()
  const load = new LoadMonitor(lag, {
    behindMs: () => Math.max(core.behindMs, creator.behindMs),
    problem: () => database.writes.recentWriteProblem,
  })
  const gate = new Gate({
    authenticator,
    sessions,
    keyLimiter: new RateLimiter('API key', settings.http.rateLimitPerSecond),
    customerLimiter: new RateLimiter('customer', customerRateOf(settings.http)),
    tokenLimiter: new RateLimiter('holder of the token', settings.http.rateLimitPerSecond / 10),
    load,
    walls: new LimitWalls(database),
  })
  const streams = createStreams({ core, reads, agents, authenticator, sessions })
  const onRefused = metrics && ((reason: string) => metrics.of.refusedConnections.inc({ reason }))
  const connections = limitConnections(settings.http, { logger, onRefused })
  const http = createHttpServer({
    gate,
    lag,
    logger,
    connections,
    timeouts: requestTimeoutsOf(settings.http),
    corsOrigins: settings.http.corsOrigins,
    isTraced: core.tracing !== undefined,
    onAnswered: (answered) => {
      core.minute.countAnswer(answered)
      if (metrics) countResponse(metrics, answered)
    },
  })
  const tools = new InstalledTools({ ...installed, database })
  const { feed, waits } = streams
  mountApiRoutes(http, { core, reads, creator, authenticator, gate, knownTools, tools, agents, waits })
  streams.mount(http, gate)
  const drain = new Drain({ server: http.server, announceMs })
  mountHealth(http, { database, gate, drain })
  mountPages(http, { gate, sessions, signInCodes, signIns, database, reads, logger, prices: options.prices })
  decisionLinkPage(http, { ...decisionsIn(core), decisionLinks: settings.http.decisionLinks })
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
      lag.start()
      streams.start()
      for (const job of jobs) job.start()
      void signIns?.checkProvider()
      return http.listen({ host: settings.http.host, port: settings.http.port })
    },
    shutDown: async () => {
      gate.leave()
      await drain.announce()
      // What a balancer still sends on open connections is answered as usual.
      await drain.clientsLeft()
      gate.shutDown()
      streams.stop()
    },
    stop: async () => {
      await drain.end(() => http.close())
      lag.stop()
      await Promise.all(jobs.map((job) => job.stop()))
      await Promise.all([creator.drain(), authenticator.runOnce().catch(() => undefined)])
      await Promise.all([reads.close(), creates.close()])
    },
  }
}
