// Decision links on the wire: addresses at which one person decides about one wait, without signing in.
import { z } from 'zod'
import { maxLinkSeconds, maxPersonLength } from '../vocabulary/limits.ts'
import { id, instant, requestId, text } from './wire.ts'

export const createDecisionLinkSchema = z
  .strictObject({
    await_seq: z.int().min(1).describe('The `seq` of the wait that it is for, as in `awaiting_input`'),
    person: text(1, maxPersonLength).describe(
      'Who decides with it: the `person` of an API key with `runs:signal`. The roles of that key count',
    ),
    expires_in: z
      .int()
      .min(1)
      .max(maxLinkSeconds)
      .describe('Seconds. The link ends earlier if the wait does')
      .meta({ examples: [86_400] }),
  })
  .meta({ id: 'CreateDecisionLink' })
export type CreateDecisionLink = z.infer<typeof createDecisionLinkSchema>

export const decisionLinkSchema = z
  .object({
    url: z.string().describe('Send it to this person only: who has it can decide in their name'),
    run_id: id('run'),
    await_seq: z.int(),
    person: z.string(),
    expires_at: instant,
    request_id: requestId,
  })
  .meta({ id: 'DecisionLink' })
export type DecisionLink = z.infer<typeof decisionLinkSchema>
