// The opaque cursor of the stream of a customer's events: the position of an event.
import { ServiceError } from '../../domain/service-error.ts'
import type { CustomerPosition } from '../../store/runs/customer-events.ts'

const form = /^(\d{1,15}):([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(\d{1,9})$/

export const cursorOf = ({ atMs, runId, seq }: CustomerPosition): string =>
  Buffer.from(`${atMs}:${runId}:${seq}`).toString('base64url')

export function positionOf(cursor: string): CustomerPosition {
  const [, atMs, runId, seq] = form.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (atMs === undefined || runId === undefined || seq === undefined) {
    throw new ServiceError(
      'EVENTS_QUERY_PARAMS_INVALID',
      'The cursor and the Last-Event-ID header must be the id of a message that this stream sent.',
    )
  }
  return { atMs: Number(atMs), runId, seq: Number(seq) }
}
