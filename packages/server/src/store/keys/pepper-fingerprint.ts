// Ties a database to the pepper it was set up with: a host with another could not check its keys. What ties it to its
// encryption key are the keys that are wrapped by that one.
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from '../postgres/database.ts'

/** The first start stores the fingerprint; every later one throws a SettingsError if its own is another. */
export async function checkPepper(database: Database, fingerprint: string): Promise<void> {
  // Hosts that start at once with different peppers meet here: the second waits for the first one's row and then reads it.
  await database.query({
    text: `
insert into secret_fingerprints (name, fingerprint)
values ('key_pepper', $1)
on conflict (name) do nothing`,
    values: [fingerprint],
  })
  const [stored] = await database.query<{ fingerprint: string }>({
    text: "select fingerprint from secret_fingerprints where name = 'key_pepper'",
  })
  if (stored?.fingerprint === fingerprint) return
  throw new SettingsError(
    'RUNWRIGHT_KEY_PEPPER differs from the one this database was set up with: hosts that share a database must share it, whether set or kept in the data folder.',
  )
}
