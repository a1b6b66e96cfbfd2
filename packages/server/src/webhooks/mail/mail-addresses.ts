// The file of `RUNWRIGHT_MAIL`: who sends, and who gets mail, by customer and role. Only the operator says so: a
// customer cannot make the service send mail to addresses of its choice.
import { describeIssue, roleName } from '@runwright/contract'
import { z } from 'zod'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'

const setting = 'RUNWRIGHT_MAIL'
const maxAddresses = 50

// One mailbox without a name: nothing in it can end a header line or begin another address.
const mailbox = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
const address = z
  .string()
  .refine((text) => mailbox.test(text), { error: 'must be a mail address, such as ada@example.com' })
const addresses = z.array(address).max(maxAddresses)
const fileSchema = z.strictObject({
  from: address,
  customers: z.record(
    z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be the id of a customer' }),
    z.strictObject({ default: addresses.default([]), roles: z.record(roleName, addresses).default({}) }),
  ),
})

export type MailAddresses = z.infer<typeof fileSchema>

export function readMailAddresses(path: string): MailAddresses {
  const value = readJsonFile(setting, path, parseConfigJson)
  const read = fileSchema.safeParse(value)
  if (read.success) return read.data
  throw new SettingsError(`${setting}: in ${path}, ${describeIssue({ error: read.error, value })}.`)
}

/**
 * Who gets the mail about a question that these roles may decide. Roles without addresses, and a question for everyone,
 * are for the default addresses. Each address once, in a fixed order.
 */
export function recipientsOf(
  { customers }: MailAddresses,
  customerId: string,
  approvers: readonly string[] | null,
): readonly string[] {
  const customer = Object.hasOwn(customers, customerId) ? customers[customerId] : undefined
  if (!customer) return []
  const { roles } = customer
  const named = (approvers ?? []).flatMap((role) => (Object.hasOwn(roles, role) ? (roles[role] ?? []) : []))
  return [...new Set(named.length > 0 ? named : customer.default)].sort()
}
