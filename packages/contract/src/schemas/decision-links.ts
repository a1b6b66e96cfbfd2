// Decision links on the wire: addresses at which one person, or who has a role, decides about one wait, without signing
// in.
import { z } from 'zod'
import { maxLinkSeconds } from '../vocabulary/limits.ts'
import { personName, roleName } from './approvals.ts'
import { id, instant, requestId } from './wire.ts'

export const createDecisionLinkSchema = z
  .strictObject({
    await_seq: z.int().min(1).describe('The `seq` of the wait that it is for, as in `awaiting_input`'),
    person: personName
      .optional()
      .describe('Who decides with it: the `person` of an API key with `runs:signal`. The roles of that key count'),
    role: roleName
      .optional()
      .describe(
        'In place of a person: one of the roles that the question asks for. The answer names the role and no person',
      ),
    expires_in: z
      .int()
      .min(1)
      .max(maxLinkSeconds)
      .describe('Seconds. The link ends earlier if the wait does')
      .meta({ examples: [86_400] }),
  })
  .refine(({ person, role }) => (person === undefined) !== (role === undefined), {
    error: 'needs either a person or a role',
  })
  .meta({ id: 'CreateDecisionLink' })
export type CreateDecisionLink = z.infer<typeof createDecisionLinkSchema>

export const decisionLinkSchema = z
  .object({
    url: z.string().describe('Send it to this person or to this role only: who has it can decide'),
    run_id: id('run'),
    await_seq: z.int(),
    person: z.string().nullable(),
    role: z.string().nullable(),
    expires_at: instant,
    request_id: requestId,
  })
  .meta({ id: 'DecisionLink' })
export type DecisionLink = z.infer<typeof decisionLinkSchema>
