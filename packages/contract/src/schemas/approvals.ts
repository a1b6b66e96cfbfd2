// Who may decide about a wait, and how many of them. Plan steps, gates and the operator's policy share these rules.
import { z } from 'zod'
import {
  maxApprovals,
  maxApproverRoles,
  maxEscalationSeconds,
  maxPersonLength,
  maxRoleLength,
  maxRoles,
} from '../vocabulary/limits.ts'
import { jsonObject, published, text } from './wire.ts'

/** The name of a role, such as `finance`. Roles mean what their owner wants: the service only compares them. */
export const roleName = published(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$/, {
    error: `must be a role: 1 to ${maxRoleLength} letters, digits and . _ : / @ -, and begin with a letter or digit`,
  }),
  { type: 'string', minLength: 1, maxLength: maxRoleLength, pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$' },
)

/** Blanks are allowed. \p{DI} are characters that take no room. */
const notPlain = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{DI}]/u

/**
 * The name of a person. It is compared exactly, so two that look alike are refused as far as they differ in what cannot
 * be seen. The case counts.
 */
export const personName = published(
  text(1, maxPersonLength)
    .refine((value) => value.trim() === value, { error: 'must not begin or end with white space' })
    .refine((value) => !notPlain.test(value), {
      error: 'must not contain control characters, invisible characters or white space other than blanks',
    })
    .refine((value) => value.normalize() === value, { error: 'must be in the Unicode form NFC' }),
  { type: 'string', minLength: 1, maxLength: maxPersonLength },
)

const uniqueRoles = (min: number, max: number) =>
  published(
    z
      .array(roleName)
      .min(min)
      .max(max)
      .refine((list) => new Set(list).size === list.length, { error: 'contains a role twice' }),
    {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: maxRoleLength },
      minItems: min,
      maxItems: max,
      uniqueItems: true,
    },
  )

export const approverRoles = uniqueRoles(1, maxApproverRoles)
/** The roles of a key or a person. */
export const roleList = uniqueRoles(0, maxRoles)

export const approvalFields = {
  approvers: approverRoles
    .optional()
    .describe('Who may decide: callers with one of these roles. Default: everyone who may send signals'),
  approvals: z
    .int()
    .min(1)
    .max(maxApprovals)
    .optional()
    .describe('How many different people must give the same answer. Default: 1. One person is enough for a no'),
  not_requester: z.boolean().optional().describe('Who created the run may not decide. Default: false'),
  reauth: z
    .boolean()
    .optional()
    .describe(
      'Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false',
    ),
  escalate_after_seconds: z
    .int()
    .min(1)
    .max(maxEscalationSeconds)
    .optional()
    .describe('After this time `escalate_to` may decide, too'),
  escalate_to: approverRoles.optional(),
  approval_schema: jsonObject
    .optional()
    .describe('JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload'),
}

interface Escalation {
  readonly approvers?: unknown
  readonly escalate_after_seconds?: unknown
  readonly escalate_to?: unknown
}

/** For the check of an object with these fields. Undefined: they fit together. */
export function escalationProblem({ approvers, ...escalation }: Escalation): string | undefined {
  const { escalate_after_seconds: after, escalate_to: to } = escalation
  if ((after === undefined) !== (to === undefined)) return 'escalate_after_seconds and escalate_to need each other'
  return to !== undefined && approvers === undefined ? 'escalate_to needs approvers' : undefined
}

/** Adds the check to a schema that has the fields. */
export const escalates = <Schema extends z.ZodType<Escalation>>(schema: Schema): Schema =>
  schema.check(({ value, issues }) => {
    const message = escalationProblem(value as Escalation)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value, path: [] })
  }) as Schema

export const approvalRulesSchema = escalates(z.strictObject(approvalFields)).meta({ id: 'ApprovalRules' })
export type ApprovalRules = z.infer<typeof approvalRulesSchema>
