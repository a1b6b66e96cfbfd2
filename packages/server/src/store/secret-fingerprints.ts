// Ties a database to the secrets it was set up with: a host with others could neither check its keys nor read its values.
import { SettingsError } from '../runtime/settings-error.ts'
import type { Database } from './database.ts'

export interface SecretFingerprints {
  readonly encryption_key: string
  readonly key_pepper: string
}

const settingOf = {
  encryption_key: 'RUNWRIGHT_ENCRYPTION_KEY',
  key_pepper: 'RUNWRIGHT_KEY_PEPPER',
} as const satisfies Record<keyof SecretFingerprints, string>

const names = Object.keys(settingOf) as (keyof SecretFingerprints)[]

/** The first start stores the fingerprints; every later one throws a SettingsError if its own are others. */
export async function checkSecretFingerprints(database: Database, own: SecretFingerprints): Promise<void> {
  // Hosts that start at once with different secrets meet here: the second waits for the first one's row and then reads it.
  await database.query({
    text: `
insert into secret_fingerprints (name, fingerprint)
select name, fingerprint
from unnest($1::text[], $2::text[]) as own (name, fingerprint)
order by name
on conflict (name) do nothing`,
    values: [names, names.map((name) => own[name])],
  })
  const rows = await database.query<{ name: string; fingerprint: string }>({
    text: 'select name, fingerprint from secret_fingerprints',
  })
  const stored = new Map(rows.map((row) => [row.name, row.fingerprint]))
  const different = names.filter((name) => stored.get(name) !== own[name])
  if (different.length > 0) throw new SettingsError(complaintAbout(different))
}

function complaintAbout(different: readonly (keyof SecretFingerprints)[]): string {
  const settings = different.map((name) => settingOf[name]).join(' and ')
  const [verb, ones] = different.length > 1 ? ['differ', 'those'] : ['differs', 'the one']
  return `${settings} ${verb} from ${ones} this database was set up with: hosts that share a database must share them, whether set or kept in the data folder.`
}
