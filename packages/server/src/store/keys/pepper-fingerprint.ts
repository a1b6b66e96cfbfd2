// Binds a database to the pepper it was set up with: a host with another pepper could not check API keys. The wrapped
// data keys bind it to its encryption key.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from '../postgres/database.ts'

/** The first start stores the fingerprint. Later starts throw a SettingsError if theirs differs. */
export async function checkPepper(database: Database, fingerprint: string): Promise<void> {
  // When hosts with different peppers start at once, the second waits for the row of the first and then reads it.
  await database.query({
    text: `
insert into secret_fingerprints (name, fingerprint)
values ('key_pepper', $1)
on conflict (name) do nothing`,
    values: [fingerprint],
  })
  if ((await findPepperFingerprint(database)) === fingerprint) return
  throw new SettingsError(
    'RUNWRIGHT_KEY_PEPPER differs from the one this database was set up with. Hosts that share a database must share the pepper, whether it is set or kept in the data folder.',
  )
}

/** Undefined if no service has started on this database yet. */
export async function findPepperFingerprint(database: Database): Promise<string | undefined> {
  const [stored] = await database.query<{ fingerprint: string }>({
    text: "select fingerprint from secret_fingerprints where name = 'key_pepper'",
  })
  return stored?.fingerprint
}
