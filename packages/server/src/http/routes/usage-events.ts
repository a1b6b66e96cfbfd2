// Converts a usage record to its wire form, and its position in the list to an opaque cursor.
import type { UsageEvent } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { toMilliseconds } from '../../domain/utc-instant.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { UsagePosition, UsageRecord } from '../../store/usage/records.ts'

export const toWireEvent = (record: UsageRecord): UsageEvent => ({
  event_type: record.eventType,
  quantity: record.quantity,
  at: toMilliseconds(record.at),
  run_id: toWireId('run', record.runId),
  key: record.key,
  workspace_id: record.workspaceId,
  subject_id: record.subjectId,
  ...(record.details && { details: record.details }),
})

export const cursorOf = ({ at, runId, key }: UsagePosition): string =>
  Buffer.from(`${at} ${runId} ${key}`).toString('base64url')

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function positionOf(cursor: string): UsagePosition {
  const [at = '', runId = '', ...words] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  const key = words.join(' ')
  const isInstant = instant.test(at) && !Number.isNaN(Date.parse(at))
  if (!isInstant || !uuid.test(runId) || key === '' || key.includes('\0')) {
    throw new ServiceError(
      'USAGE_QUERY_PARAMS_INVALID',
      'Query parameter "cursor": must be a next_cursor that this list returned.',
    )
  }
  return { at, runId, key }
}
