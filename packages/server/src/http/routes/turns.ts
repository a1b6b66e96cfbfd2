// Reads the turns of a run: a page of its calls to models.
import { defaultListPageSize, type Turn } from '@runwright/contract'
import { runNotFound } from '../../runs/run-not-found.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findTurns, type StoredTurn } from '../../store/turns/turns.ts'
import type { Handlers } from '../server/response/handler.ts'
import { runIdOf } from './runs.ts'

export const turnHandlers = (database: Database): Pick<Handlers, 'listTurns'> => ({
  listTurns: async ({ principal, requestId, id, query }) => {
    const { after = 0, limit = defaultListPageSize } = query
    const run = { customerId: principal.customerId, id: runIdOf(id) }
    const turns = await findTurns(database, run, { after, limit })
    if (!turns) throw runNotFound()
    const nextAfter = turns.at(-1)?.seq ?? after
    return { body: { turns: turns.map((turn) => toWire(run.id, turn)), next_after: nextAfter, request_id: requestId } }
  },
})

function toWire(runId: string, { taskKey, body, messages, ...turn }: StoredTurn): Turn {
  const { reply, failure, added_to_system: added, ...rest } = body
  return {
    seq: turn.seq,
    attempt: turn.attempt,
    role: turn.role,
    task_id: derivedWireId('task', runId, taskKey),
    step_id: taskKey.slice(taskKey.indexOf('/') + 1),
    call: turn.callKey,
    ...rest,
    messages: added === undefined ? [...messages] : withAdded(messages, added),
    reply: reply && shownReply(reply),
    failure: failure && { reason_code: failure.reason_code, message: failure.message },
    started_at: turn.startedAt.toISOString(),
  }
}

/** The messages as they were sent. */
function withAdded(messages: StoredTurn['messages'], added: string): Turn['messages'] {
  const [first, ...rest] = messages
  return first?.from === 'system'
    ? [{ ...first, text: `${first.text}\n\n${added}` }, ...rest]
    : [{ from: 'system', text: added }, ...messages]
}

/** Provider data is kept for later turns only. */
const shownReply = ({ echo: _, ...shown }: NonNullable<StoredTurn['body']['reply']>) => shown
