// Keeps the customers that get mail as the settings name them. A customer that was created later is found by the next
// call.
import type { Keyring } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../../store/postgres/database.ts'
import {
  disableMail,
  enableMail,
  findCustomersAmong,
  findMailCustomers,
  mailWebhookId,
} from '../../store/webhooks/mail-webhooks.ts'
import { newWebhookSecret } from '../delivery/webhook-secret.ts'
import type { MailAddresses } from './mail-addresses.ts'

interface Options {
  readonly database: Database
  readonly keyring: Keyring
  /** Undefined: no customer gets mail. */
  readonly addresses: MailAddresses | undefined
}

export async function keepMailCustomers({ database, keyring, addresses }: Options) {
  const enabled = await findMailCustomers(database)
  const named = Object.keys(addresses?.customers ?? {})
  const counts = { enabled: 0, disabled: 0 }
  for (const customerId of named.filter((id) => !enabled.includes(id))) {
    const sealed = keyring.seal(newWebhookSecret(), { customerId, webhookId: mailWebhookId })
    if (await enableMail(database, customerId, sealed)) counts.enabled += 1
  }
  for (const customerId of enabled.filter((id) => !named.includes(id))) {
    await disableMail(database, customerId)
    counts.disabled += 1
  }
  return counts
}

/** Whom the settings name, and who is not here: customers of other cells, later ones, and misspelled ones. */
export async function findUnknownCustomers(database: Database, { customers }: MailAddresses): Promise<string[]> {
  const named = Object.keys(customers)
  const here = await findCustomersAmong(database, named)
  return named.filter((id) => !here.includes(id))
}
