// The place where an evaluation runs: a database and a data folder of its own, both removed at the end. The database of
// DATABASE_URL is never used itself, because its workers would execute the trials, and the evaluation its runs.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Secrets } from '../../runtime/secrets/secrets.ts'
import { startEmbeddedPostgres } from '../../store/embedded/start-embedded-postgres.ts'
import type { ConnectionOptions } from '../../store/postgres/database.ts'
import { createScratchDatabase } from '../../store/postgres/scratch-database.ts'

export interface Workspace {
  readonly connection: ConnectionOptions
  readonly secrets: Secrets
  close(): Promise<void>
}

export async function openWorkspace(databaseUrl: string | undefined): Promise<Workspace> {
  const secrets: Secrets = {
    encryptionKey: randomBytes(32),
    previousEncryptionKeys: [],
    keyPepper: randomBytes(32),
    origin: { encryptionKey: 'created', keyPepper: 'created' },
  }
  if (databaseUrl) {
    const { connection, drop } = await createScratchDatabase({ connectionString: databaseUrl })
    return { connection, secrets, close: drop }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'runwright-eval-'))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, diesWithParent: true })
    const close = async () => {
      await postgres.stop()
      await remove()
    }
    return { connection: postgres.connection, secrets, close }
  } catch (error) {
    await remove()
    throw error
  }
}
