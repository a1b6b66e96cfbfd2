// Checks that the database answers, and reads its version and for how long a snapshot has been held.
import type { Database } from './database.ts'

interface DatabaseHealth {
  readonly version: string
  /** The age of the oldest snapshot. Undefined: it is not old. */
  readonly heldSnapshotSeconds: number | undefined
}

/** Dumps and reports usually take less. */
const oldSnapshotSeconds = 300

// A snapshot keeps every row version that it could see: until it ends, updated and deleted rows stay, and statements
// read past them. The snapshots of autovacuum do not.
const statement = `
select current_setting('server_version') as version, (
  select extract(epoch from clock_timestamp() - min(xact_start))::float8
  from pg_stat_activity
  where backend_xmin is not null
    and datname = current_database()
    and backend_type <> 'autovacuum worker'
    and pid <> pg_backend_pid()
) as held_seconds`

export async function readDatabaseHealth(
  database: Database,
  isOldAfterSeconds = oldSnapshotSeconds,
): Promise<DatabaseHealth> {
  const [row] = await database.run<{ version: string; held_seconds: number | null }>({ text: statement })
  const held = row?.held_seconds ?? 0
  return { version: row?.version ?? '', heldSnapshotSeconds: held > isOldAfterSeconds ? Math.round(held) : undefined }
}
