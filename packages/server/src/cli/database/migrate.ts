// `runwright migrate`: creates or upgrades the database and exits. A start does the same; this is for deployments that
// want to do it first, once.
import { Command } from 'commander'
import { loadSecrets } from '../../runtime/secrets/secrets.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import { withEmbeddedPostgres } from '../../store/embedded/with-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../../store/postgres/database.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { prepareDatabase } from './prepare-database.ts'

export function migrateCommand(io: Io, env: NodeJS.ProcessEnv): Command {
  const command = new Command('migrate')
    .description(
      'Create or upgrade the database of this installation and exit. A start does this too. Services of the version ' +
        'before can keep running.',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const applied = await migrateDatabase(env)
      if (json) printJson(io, { applied })
      else printText(io, applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
    })
  return withExamples(command, [
    ['DATABASE_URL=postgres://… runwright migrate', 'before new versions of the service are started'],
  ])
}

async function migrateDatabase(env: NodeJS.ProcessEnv): Promise<string[]> {
  const settings = readSettings(env)
  const secrets = loadSecrets({ ...settings.secrets, dataDir: settings.database.dataDir })
  const work = async (connection: ConnectionOptions) => {
    const database = new Database({ connection, maxConnections: 2, applicationName: 'runwright migrate' })
    try {
      const { applied } = await migrate(database)
      // Also checks that the database belongs to the secrets of this installation.
      await prepareDatabase(database, secrets)
      return applied
    } finally {
      await database.close()
    }
  }
  const { url, dataDir } = settings.database
  return url ? work({ connectionString: url }) : withEmbeddedPostgres({ dataDir }, work)
}
