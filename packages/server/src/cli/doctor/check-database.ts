// Whether the database can be reached, and fits this version, these secrets and these keys. Changes nothing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint, loadSecrets } from '../../runtime/secrets/secrets.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { withEmbeddedPostgres } from '../../store/embedded/with-embedded-postgres.ts'
import { hasLiveKey } from '../../store/keys/keys.ts'
import { findPepperFingerprint } from '../../store/keys/pepper-fingerprint.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import { readDatabaseHealth } from '../../store/postgres/health.ts'
import { findPendingMigrations, isSchemaError } from '../../store/postgres/migrate.ts'
import { findWriteProblem } from '../../store/postgres/write-check.ts'
import { listMcpServers } from '../../store/runs/workers.ts'
import { commandLine } from '../output/command-line.ts'
import { describeAway } from '../output/describe-away.ts'
import { type Check, note, ok, problem } from './check.ts'

const name = 'Database'

export async function checkDatabase(settings: Settings): Promise<readonly Check[]> {
  const { url, dataDir } = settings.database
  if (url === undefined && !existsSync(join(dataDir, 'postgres'))) return [notYet(dataDir), checkSecretFiles(settings)]
  try {
    const examine = (connection: ConnectionOptions) => examineDatabase(connection, settings)
    return await (url ? examine({ connectionString: url }) : withEmbeddedPostgres({ dataDir }, examine))
  } catch (error) {
    return [
      isSchemaError(error) ? problem(name, error.message) : unreachable(error, url !== undefined),
      checkSecretFiles(settings),
    ]
  }
}

const notYet = (dataDir: string): Check =>
  note(
    name,
    `none in ${dataDir} yet`,
    `${commandLine('start')} creates one. Set DATABASE_URL to use your own PostgreSQL.`,
  )

function unreachable(error: unknown, isOwn: boolean): Check {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message =
    cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
  const advice = isOwn
    ? 'Check that DATABASE_URL is right and that PostgreSQL runs there.'
    : 'Look at postgres.log in the data folder.'
  return problem(name, sentence(message), advice)
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

async function examineDatabase(connection: ConnectionOptions, settings: Settings): Promise<readonly Check[]> {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright doctor' })
  try {
    const { version } = await readDatabaseHealth(database)
    const pending = await findPendingMigrations(database)
    const isReadOnly = (await findWriteProblem(database)) === 'read_only'
    if (isReadOnly) return [readOnly(version), checkSecretFiles(settings)]
    if (pending.length > 0) return [mustMigrate(version, pending), checkSecretFiles(settings)]
    return [
      ok(name, `PostgreSQL ${version}, up to date`),
      await checkSecrets(database, settings),
      await checkKeys(database),
      ...(await checkMcpServers(database)),
    ]
  } finally {
    await database.close()
  }
}

/** What the workers of the last minute say. */
async function checkMcpServers(database: Database): Promise<readonly Check[]> {
  const servers = await listMcpServers(database)
  if (servers.length === 0) return []
  const away = describeAway(servers)
  if (away.length === 0) return [ok('MCP', 'all servers are connected')]
  return [problem('MCP', away.join('\n'), 'Correct the file of RUNWRIGHT_MCP_CONFIG, or start the server.')]
}

const mustMigrate = (version: string, pending: readonly string[]): Check =>
  note(
    name,
    `PostgreSQL ${version}, migrations to apply: ${pending.join(', ')}`,
    `Run ${commandLine('migrate')}. A start of the service applies them too.`,
  )

const readOnly = (version: string): Check =>
  problem(
    name,
    `PostgreSQL ${version} is read-only: it is a standby, or default_transaction_read_only is on.`,
    'Use the address of the primary in DATABASE_URL, or list all servers in it. Or turn the setting off.',
  )

/** Reads the pepper only if it is there: loading it would create it. */
async function checkSecrets(database: Database, settings: Settings): Promise<Check> {
  const files = checkSecretFiles(settings)
  const stored = await findPepperFingerprint(database)
  if (files.status !== 'ok' || stored === undefined) return files
  const { keyPepper } = loadSecrets({ ...settings.secrets, dataDir: settings.database.dataDir })
  if (fingerprint(keyPepper) === stored) return ok('Secrets', 'match the database')
  return problem(
    'Secrets',
    'The pepper of API keys is not the one of this database.',
    'Use the RUNWRIGHT_KEY_PEPPER or the data folder of the hosts that share the database.',
  )
}

function checkSecretFiles({ secrets, database: { dataDir } }: Settings): Check {
  const missing = [
    ...(secrets.encryptionKey === undefined ? ['encryption-key'] : []),
    ...(secrets.keyPepper === undefined ? ['key-pepper'] : []),
  ].filter((file) => !existsSync(join(dataDir, file)))
  if (missing.length === 0) return ok('Secrets', 'present')
  return note(
    'Secrets',
    `none in ${dataDir} yet`,
    'A start creates them. Keep copies: data cannot be read without them.',
  )
}

async function checkKeys(database: Database): Promise<Check> {
  if (await hasLiveKey(database)) return ok('API keys', 'there is a valid key')
  return problem('API keys', 'No key is valid.', `Create one: ${commandLine('keys create')}`)
}
