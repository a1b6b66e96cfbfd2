// Records that a decision link was made. Refused if the key that makes it was revoked.
import type { Database } from '../postgres/database.ts'
import { type Act, recordAct } from '../requests/record-act.ts'
import { lockCustomerFor } from './lock-customer.ts'

export const recordLink = (database: Database, act: Act): Promise<void> =>
  database.transaction(async (client) => {
    await lockCustomerFor(client, act.customerId, act.by)
    await recordAct(client, act)
  })
