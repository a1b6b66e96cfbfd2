// The composition root: puts the parts of the service together, starts them in order, and stops them again. No logic.
import { randomUUID } from 'node:crypto'
import { builtInTools, openApiDocument } from '@runwright/contract'
import { Authenticator } from './access/authenticator.ts'
import { EventFeed } from './events/event-feed.ts'
import { EventHub } from './events/event-hub.ts'
import { WakeUps } from './events/wake-ups.ts'
import { docsRoutes } from './http/docs.ts'
import { EventStreams } from './http/event-streams.ts'
import { eventHandlers } from './http/events.ts'
import { Gate, shuttingDown } from './http/gate.ts'
import { mountHealth } from './http/health.ts'
import { createHttpServer } from './http/http-server.ts'
import { keyHandlers } from './http/keys.ts'
import { LoadMonitor } from './http/load-monitor.ts'
import { memoryHandlers } from './http/memory.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { RateLimiter } from './http/rate-limiter.ts'
import { runCommandHandlers } from './http/run-commands.ts'
import { runHandlers } from './http/runs.ts'
import { usageHandlers } from './http/usage.ts'
import { QueueLimit } from './lifecycle/queue-limit.ts'
import { forgetBatches } from './maintenance/forget-batches.ts'
import { keyedHash } from './runtime/keyed-hash.ts'
import type { Logger } from './runtime/logger.ts'
import { Periodic } from './runtime/periodic.ts'
import type { Secrets } from './runtime/secrets.ts'
import { limitsOf, type Settings } from './runtime/settings.ts'
import { version } from './runtime/version.ts'
import { type ConnectionOptions, Database } from './store/database.ts'
import type { Grouping } from './store/group-commit.ts'
import { logSession } from './store/run-log/change-statement.ts'
import { RunCreator } from './store/run-log/run-creator.ts'
import { type Announce, RunLog } from './store/run-log/run-log.ts'

export interface AppOptions {
  readonly settings: Settings
  readonly connection: ConnectionOptions
  readonly secrets: Pick<Secrets, 'encryptionKey' | 'keyPepper'>
  readonly logger: Logger
  /** For measuring what grouping is worth. */
  readonly grouping?: Grouping
}

export interface App {
  /** Resolves with the address it listens on. */
  start(): Promise<string>
  stop(): Promise<void>
}

export function createApp({ settings, connection, secrets, logger, grouping = {} }: AppOptions): App {
  const database = new Database({ connection, maxConnections: 8, applicationName: 'runwright' })
  const logDatabase = new Database({
    connection,
    maxConnections: Math.max(3, grouping.lanes ?? 0),
    applicationName: 'runwright log',
    session: logSession,
  })
  const hub = new EventHub()
  const wakeUps = new WakeUps({ connection, hub, sender: randomUUID() })
  const announce: Announce = (committed) => {
    hub.publish(committed)
    wakeUps.tell(committed)
  }
  const runLog = new RunLog(logDatabase, announce)
  const creator = new RunCreator(logDatabase, announce, grouping)
  const hashBody = keyedHash(secrets.encryptionKey, 'request body')
  const feed = new EventFeed(database, hub)
  const authenticator = new Authenticator({ database, keyPepper: secrets.keyPepper })
  const load = new LoadMonitor(() => Math.max(runLog.behindMs, creator.behindMs))
  const gate = new Gate({
    authenticate: (authorization) => authenticator.authenticate(authorization),
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
  mountRoutes(http, {
    ...runHandlers(database, {
      creator,
      queueLimit: new QueueLimit(database, settings.limits.queueLimit),
      hashBody,
      limitsOf: (runClass) => limitsOf(settings.limits, runClass),
      knownTools: new Set(builtInTools),
      workerIsSandbox: settings.models.worker === 'sandbox',
    }),
    ...runCommandHandlers({ database, runLog, hashBody }),
    ...eventHandlers(database),
    ...usageHandlers({ database }),
    ...memoryHandlers({ database }),
    ...keyHandlers({ database, authenticator, keyPepper: secrets.keyPepper }),
  })
  streams.mount(http)
  mountHealth(http, { database, gate })
  docsRoutes(http, { document: JSON.stringify(openApiDocument({ version })) })
  const onError = (job: string) => (error: unknown) => logger.warn({ err: error, job }, 'background job failed')
  const jobs = [
    new Periodic({ everyMs: 750, runOnce: () => feed.runOnce(), onError: onError('event poll') }),
    new Periodic({ everyMs: 1_000, runOnce: () => authenticator.runOnce(), onError: onError('key use') }),
    new Periodic({ everyMs: 60_000, runOnce: () => forgetBatches(database), onError: onError('forget batches') }),
  ]
  return {
    start: async () => {
      wakeUps.start()
      load.start()
      streams.start()
      for (const job of jobs) job.start()
      return http.listen({ host: settings.http.host, port: settings.http.port })
    },
    stop: async () => {
      gate.shutDown()
      streams.stop(shuttingDown())
      await http.close()
      await Promise.all(jobs.map((job) => job.stop()))
      await Promise.all([
        runLog.drain(),
        creator.drain(),
        wakeUps.stop(),
        authenticator.runOnce().catch(() => undefined),
      ])
      load.stop()
      await Promise.all([database.close(), logDatabase.close()])
    },
  }
}
