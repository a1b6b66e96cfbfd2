// The whole service on a database of its own, listening on loopback, for tests that use it as a client does.
import { randomBytes } from 'node:crypto'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { createApp } from '../../src/app.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings.ts'
import type { Database } from '../../src/store/database.ts'
import { freshDatabase } from './database.ts'

export interface Service {
  readonly url: string
  /** `key_id:secret` of customer `acme`, with every scope. */
  readonly key: string
  /** The same for customer `other`. */
  readonly otherKey: string
  readonly database: Database
  readonly logLines: string[]
  stop(): Promise<void>
}

export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const fresh = await freshDatabase()
  const key = `key_acme:${randomBytes(12).toString('hex')}`
  const otherKey = `key_other:${randomBytes(12).toString('hex')}`
  const settings = readSettings({
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key},other=${otherKey}`,
    ...env,
  })
  const logLines: string[] = []
  const stream = { write: (line: string) => void logLines.push(line) }
  const logger = createLogger({ level: settings.logging.level, stream })
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const { connection, database } = fresh
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
  const app = createApp({ settings, connection, secrets, logger })
  const url = await app.start()
  const stop = async () => {
    await app.stop()
    await fresh.drop()
  }
  return { url, key, otherKey, database, logLines, stop }
}
