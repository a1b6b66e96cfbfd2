// Opens the database for the duration of a command: that of DATABASE_URL, or the embedded one.
import type { KeyStore } from '../../access/key-secret.ts'
import { loadSecrets } from '../../runtime/secrets/secrets.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { withEmbeddedPostgres } from '../../store/embedded/with-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import type { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { prepareDatabase } from './prepare-database.ts'

export interface Store extends KeyStore {
  readonly sealing: SealingKeys
}

export type OpenStore<S = KeyStore> = <T>(work: (store: S) => Promise<T>) => Promise<T>

export const openStore = (env: NodeJS.ProcessEnv): OpenStore<Store> => {
  return async (work) => {
    const settings = readSettings(env)
    const secrets = loadSecrets({ ...settings.secrets, dataDir: settings.database.dataDir })
    const workOn = async (connection: ConnectionOptions) => {
      const database = new Database({ connection, maxConnections: 2, applicationName: 'runwright cli' })
      try {
        const sealing = await prepareDatabase(database, secrets)
        return await work({ database, keyPepper: secrets.keyPepper, sealing })
      } finally {
        await database.close()
      }
    }
    const { url, dataDir } = settings.database
    return url ? workOn({ connectionString: url }) : withEmbeddedPostgres({ dataDir }, workOn)
  }
}
