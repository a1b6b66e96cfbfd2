// API keys on the wire: the key without its secret, and the requests that create, rotate and revoke one.
import { z } from 'zod'
import { scopes } from '../vocabulary/vocabulary.ts'
import { personName, roleList } from './approvals.ts'
import { id, instant, nextCursor, openEnum, pageFields, requestId, text } from './wire.ts'

export const keySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    scopes: z.array(openEnum(scopes)),
    roles: z.array(z.string()).describe('What it may decide, where a question names approvers'),
    person: z.string().nullable().describe('Whose key it is. An approval counts once per person'),
    signs_in: z
      .boolean()
      .describe(
        'True: a person who signs in to the console. There is no secret; scopes and roles come from their groups',
      ),
    created_at: instant,
    updated_at: instant.describe('When it was created, rotated or revoked'),
    expires_at: instant.nullable(),
    revoked_at: instant.nullable(),
    last_used_at: instant.nullable(),
  })
  .meta({ id: 'Key' })
export type Key = z.infer<typeof keySchema>

const uniqueScopes = z
  .array(z.enum(scopes))
  .refine((list) => new Set(list).size === list.length, { error: 'contains a scope twice' })

export const createKeySchema = z
  .strictObject({
    name: text(1, 255).optional(),
    scopes: uniqueScopes.optional().meta({
      published: { type: 'array', items: { type: 'string', enum: [...scopes] }, minItems: 1, uniqueItems: true },
    }),
    roles: roleList
      .optional()
      .describe('Only roles that the calling key has. The operator grants others with `runwright keys create --role`'),
    person: personName
      .optional()
      .describe(
        'Whose key it is, such as `ada@example.com`. Write it the same for all keys of a person: the case counts. It never changes',
      ),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date and time with a time zone offset' })
      .optional()
      .describe('Must be in the future'),
  })
  .meta({ id: 'CreateKey' })
export type CreateKey = z.infer<typeof createKeySchema>

export const rotateKeySchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(2_592_000)
      .optional()
      .describe('How long the current secret stays valid. 0 ends all old secrets at once. Default: 3600'),
    roles: roleList
      .optional()
      .describe('Its roles from now on; only roles that the calling key has. Default: as before'),
  })
  .meta({ id: 'RotateKey' })
export type RotateKey = z.infer<typeof rotateKeySchema>

export const keyWithSecretSchema = z
  .object({ key: keySchema, secret: z.string().describe('Shown only once'), request_id: requestId })
  .meta({ id: 'KeyWithSecret' })
export type KeyWithSecret = z.infer<typeof keyWithSecretSchema>

export const keyResultSchema = z.object({ key: keySchema, request_id: requestId }).meta({ id: 'KeyResult' })
export type KeyResult = z.infer<typeof keyResultSchema>

export const keyLeavesSchema = z
  .object({
    schedules: z
      .array(
        z.object({
          id: id('sched'),
          name: z.string().nullable(),
          cron: z.string(),
          time_zone: z.string(),
          next_at: instant,
        }),
      )
      .describe(
        'Schedules that are not paused, and whose `run` or times the key set last, for example when it created them',
      ),
    webhooks: z
      .array(z.object({ id: id('hook'), host: z.string().describe('Of its URL') }))
      .describe('Webhooks that are not paused, and whose URL the key set, for example when it created them'),
    keys: z
      .array(z.object({ id: z.string(), name: z.string().nullable() }))
      .describe('Valid keys whose secret the key was shown: it created them or rotated them last'),
  })
  .meta({ id: 'KeyLeaves' })
export type KeyLeaves = z.infer<typeof keyLeavesSchema>

export const keyDetailSchema = z
  .object({
    key: keySchema,
    leaves: keyLeavesSchema,
    request_id: requestId,
  })
  .meta({ id: 'KeyDetail' })
export type KeyDetail = z.infer<typeof keyDetailSchema>

export const keysQuerySchema = z.strictObject(pageFields)
export type KeysQuery = z.infer<typeof keysQuerySchema>

export const keyListSchema = z
  .object({ keys: z.array(keySchema), next_cursor: nextCursor, request_id: requestId })
  .meta({ id: 'KeyList' })
export type KeyList = z.infer<typeof keyListSchema>
