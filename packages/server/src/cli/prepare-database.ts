// Makes a database fit for this Runwright: its schema is up to date and it belongs to our secrets.
import { fingerprint, type Secrets } from '../runtime/secrets.ts'
import type { Database } from '../store/database.ts'
import { migrate } from '../store/migrate.ts'
import { checkSecretFingerprints } from '../store/secret-fingerprints.ts'

export async function prepareDatabase(database: Database, secrets: Secrets): Promise<void> {
  await migrate(database)
  await checkSecretFingerprints(database, {
    encryption_key: fingerprint(secrets.encryptionKey),
    key_pepper: fingerprint(secrets.keyPepper),
  })
}
