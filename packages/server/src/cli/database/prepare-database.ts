// Prepares a database for use: migrates its schema and checks that it belongs to the secrets of this installation.
import { fingerprint, type Secrets } from '../../runtime/secrets/secrets.ts'
import { checkPepper } from '../../store/keys/pepper-fingerprint.ts'
import type { Database } from '../../store/postgres/database.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'

export async function prepareDatabase(database: Database, secrets: Secrets): Promise<SealingKeys> {
  await migrate(database)
  await checkPepper(database, fingerprint(secrets.keyPepper))
  const sealing = new SealingKeys(database, secrets)
  await sealing.open()
  return sealing
}
