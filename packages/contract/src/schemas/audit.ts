// The audit log on the wire: who did what, as a chain of hashes.
import { z } from 'zod'
import { defaultListPageSize, maxPageSize } from '../vocabulary/limits.ts'
import { auditActions, auditChannels } from '../vocabulary/vocabulary.ts'
import { instant, jsonObject, openEnum, published, queryCursor, queryInteger, requestId, text } from './wire.ts'

const hash = published(z.string(), { type: 'string', pattern: '^[0-9a-f]{64}$' })

export const auditEntrySchema = z
  .object({
    seq: z.int().min(1).describe('The place in the chain of the customer, without gaps'),
    at: instant,
    action: openEnum(auditActions),
    key_id: z.string().nullable().describe('The API key that acted; null: the operator'),
    key_name: z.string().nullable(),
    via: openEnum(auditChannels),
    target: z.string().nullable().describe('The id of the run, key, webhook or memory item'),
    details: jsonObject.describe('More about the act, by action'),
    previous_hash: hash.nullable().describe('The hash of the entry before it; null: it is the first'),
    hash: hash.describe('SHA-256 of the canonical JSON (RFC 8785) of the other fields'),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof auditEntrySchema>

export const auditQuerySchema = z.strictObject({
  action: z.enum(auditActions).optional(),
  key_id: text(1, 128).optional().describe('Only what this API key did'),
  target: text(1, 128).optional().describe('Only what was done to the run, key, webhook or memory item with this id'),
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
  cursor: queryCursor.optional(),
})
export type AuditQuery = z.infer<typeof auditQuerySchema>

export const auditListSchema = z
  .object({ entries: z.array(auditEntrySchema), next_cursor: z.string().nullable(), request_id: requestId })
  .meta({ id: 'AuditList' })
export type AuditList = z.infer<typeof auditListSchema>
