// Tokens on the wire: short-lived credentials for browsers and end users, made with an API key.
import { z } from 'zod'
import { maxTokenSeconds } from '../vocabulary/limits.ts'
import { scopes, tokenScopes } from '../vocabulary/vocabulary.ts'
import { id, instant, label, openEnum, published, requestId } from './wire.ts'

/** As a browser sends it: scheme, host and, if it is not the usual one, port. */
const origin = published(
  z.string().refine(isOrigin, {
    error: 'must be an origin without a path, in the form a browser sends it, such as https://app.example.com',
  }),
  { type: 'string', maxLength: 300 },
)

function isOrigin(text: string): boolean {
  if (text.length > 300 || !/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  return new URL(text).origin === text
}

const uniqueScopes = published(
  z
    .array(z.enum(tokenScopes))
    .min(1, { error: 'must contain at least one scope' })
    .refine((list) => new Set(list).size === list.length, { error: 'contains a scope twice' }),
  { type: 'array', items: { type: 'string', enum: [...tokenScopes] }, minItems: 1, uniqueItems: true },
)

export const createTokenSchema = z
  .strictObject({
    scopes: uniqueScopes.describe('Of those of the key'),
    expires_in: z
      .int()
      .min(1)
      .max(maxTokenSeconds)
      .describe('Seconds. The token ends earlier if its key does')
      .meta({ examples: [900] }),
    subject_id: label.optional().describe('The token sees and creates only the runs of this subject'),
    workspace_id: label.optional().describe('The token sees and creates only the runs of this workspace'),
    run_id: id('run').optional().describe('The token sees only this run'),
    origin: origin.optional().describe('If a request has an `Origin` header, it must be this one'),
  })
  .meta({ id: 'CreateToken' })
export type CreateToken = z.infer<typeof createTokenSchema>

export const tokenResultSchema = z
  .object({
    token: z.string().describe('Send it as `Authorization: Bearer <token>`'),
    scopes: z.array(openEnum(scopes)),
    subject_id: z.string().nullable(),
    workspace_id: z.string().nullable(),
    run_id: id('run').nullable(),
    origin: z.string().nullable(),
    expires_at: instant,
    request_id: requestId,
  })
  .meta({ id: 'TokenResult' })
export type TokenResult = z.infer<typeof tokenResultSchema>
