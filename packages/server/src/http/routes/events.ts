// Polling for events: returns a page after a cursor.
import type { IncomingMessage } from 'node:http'
import { defaultEventsPageSize } from '@runwright/contract'
import type { Principal } from '../../domain/principal.ts'
import { runNotFound } from '../../runs/run-not-found.ts'
import type { StoredEvent } from '../../store/run-log/run-change.ts'
import type { Handlers } from '../server/response/handler.ts'
import { eventText } from './event-text.ts'
import { runIdOf } from './runs.ts'

export interface EventPoll {
  readonly principal: Principal
  readonly request: IncomingMessage
  readonly runId: string
  readonly after: number
  readonly limit: number
  readonly waitMs: number
}

interface EventReader {
  /** Undefined when the customer has no such run. */
  findEvents(poll: EventPoll): Promise<readonly StoredEvent[] | undefined>
}

export const eventHandlers = (reader: EventReader): Pick<Handlers, 'pollEvents'> => ({
  pollEvents: async ({ principal, requestId, id, query, request }) => {
    const { cursor = 0, limit = defaultEventsPageSize, wait = 0 } = query
    const poll = { principal, request, runId: runIdOf(id), after: cursor, limit, waitMs: wait * 1_000 }
    const events = await reader.findEvents(poll)
    if (!events) throw runNotFound()
    const nextCursor = events.at(-1)?.seq ?? cursor
    return {
      body: `{"events":[${events.map(eventText).join()}],"next_cursor":${nextCursor},"request_id":"${requestId}"}`,
    }
  },
})
