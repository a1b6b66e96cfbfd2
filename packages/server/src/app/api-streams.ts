// The streams of the API: events of a run, of all runs of a customer, and pages of the list of runs.
import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../access/authenticator.ts'
import type { ConsoleSessions } from '../access/console-sessions.ts'
import type { CurrentAgents } from '../agents/definitions/agent-set.ts'
import { CustomerChanges } from '../events/customer-changes.ts'
import { EventFeed } from '../events/event-feed.ts'
import { openRunPage } from '../http/routes/run-page.ts'
import { type Gate, shuttingDown } from '../http/server/admission/admission.ts'
import { CustomerStreams } from '../http/streams/customer-streams.ts'
import { EventStreams } from '../http/streams/event-streams.ts'
import { EventWaits } from '../http/streams/event-waits.ts'
import { toContent } from '../http/streams/live-run-page.ts'
import { LiveRunPages, type PageKey } from '../http/streams/live-run-pages.ts'
import { OpenStreams } from '../http/streams/open-streams.ts'
import { RunListStreams } from '../http/streams/run-list-streams.ts'
import type { Settings } from '../runtime/settings/settings.ts'
import type { Database } from '../store/postgres/database.ts'
import { deliveryObserver } from '../telemetry/watch-http.ts'
import type { Core } from './core.ts'

interface StreamParts {
  readonly core: Core
  readonly reads: Database
  readonly agents: CurrentAgents
  readonly authenticator: Authenticator
  readonly sessions: ConsoleSessions
}

/** A page of a list is sent as one message, so it has a smaller limit than that of a request. */
const maxLivePageBytes = 512 * 1024

export function createStreams({ core, reads, agents, authenticator, sessions }: StreamParts) {
  const { database, hub, metrics, settings } = core
  const feed = new EventFeed(database, hub)
  const open = new OpenStreams({
    times: timesOf(settings),
    maxPerKey: 1_000,
    maxPerCustomer: 4_000,
    recheckKeys: (keyIds) => authenticator.recheck(keyIds),
    maxPerLimits: 50,
    recheckTokens: (tokens) => authenticator.recheckTokens(tokens),
    recheckSessions: (sessionIds) => sessions.recheck(sessionIds),
  })
  const changes = new CustomerChanges()
  core.signals.committed.subscribe((committed) => changes.note(committed))
  core.signals.changed.subscribe((words) => changes.noteMarks(words))
  const sources = { database: reads, agents, keys: core.keys }
  const read = async (key: PageKey) => toContent(await openRunPage(sources, { ...key, maxBytes: maxLivePageBytes }))
  const lists = new RunListStreams({ pages: new LiveRunPages({ read, changes }), open })
  const allEvents = new CustomerStreams({ database: reads, changes, open })
  const events = new EventStreams({ database, feed, open, onDelivered: deliveryObserver(metrics) })
  return {
    feed,
    waits: new EventWaits({ database, feed, open }),
    get count() {
      return open.count
    },
    mount: (http: FastifyInstance, gate: Gate) => {
      for (const streams of [events, lists, allEvents]) streams.mount(http, gate)
    },
    start: () => {
      open.start()
      lists.start()
      allEvents.start()
    },
    stop: () => {
      open.stop(shuttingDown())
      lists.stop()
      allEvents.stop()
    },
  }
}

const timesOf = ({ streams }: Settings) => ({
  idleMs: streams.idleSeconds * 1000,
  keepAliveMs: streams.keepaliveSeconds * 1000,
  endedMs: 2_000,
  slowReaderMs: 30_000,
})
