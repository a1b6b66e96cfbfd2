// Polling for events: returns a page after a cursor.
import { defaultEventsPageSize } from '@runwright/contract'
import { runNotFound } from '../../lifecycle/run-not-found.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findEvents } from '../../store/runs/events.ts'
import type { Handlers } from '../server/handler.ts'
import { eventText } from './event-text.ts'
import { runIdOf } from './runs.ts'

export const eventHandlers = (database: Database): Pick<Handlers, 'pollEvents'> => ({
  pollEvents: async ({ principal, requestId, id, query }) => {
    const { cursor = 0, limit = defaultEventsPageSize } = query
    const run = { customerId: principal.customerId, id: runIdOf(id) }
    const events = await findEvents(database, run, { after: cursor, limit })
    if (!events) throw runNotFound()
    const nextCursor = events.at(-1)?.seq ?? cursor
    return {
      body: `{"events":[${events.map(eventText).join()}],"next_cursor":${nextCursor},"request_id":"${requestId}"}`,
    }
  },
})
