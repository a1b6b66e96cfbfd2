// Refuses a pooler in transaction mode, such as PgBouncer. It gives each transaction another session of the server, so
// that LISTEN, advisory locks, session settings and prepared statements are lost.
import type pg from 'pg'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from './database.ts'

/** A busy pooler may give both connections the same sessions again by chance. */
const tries = 3

/** The database needs two connections. */
export async function refusePooler(database: Database): Promise<void> {
  const isPooled = await database.withConnection((one) => database.withConnection((other) => shareSessions(one, other)))
  if (isPooled) {
    throw new SettingsError(
      'DATABASE_URL leads to a connection pooler in transaction mode, which loses LISTEN and advisory locks: set it to the address of PostgreSQL itself, or set pool_mode = session for this database.',
    )
  }
}

type Session = Pick<pg.ClientBase, 'query'>

/** Whether two open connections use the same session, or one of them changes its session. */
async function shareSessions(one: Session, other: Session): Promise<boolean> {
  for (let n = 0; n < tries; n += 1) {
    const first = await sessionOf(one)
    const second = await sessionOf(one)
    await other.query('begin')
    const held = await sessionOf(other)
    const third = await sessionOf(one)
    await other.query('commit')
    if (held === first || second !== first || third !== first) return true
  }
  return false
}

async function sessionOf(connection: Session): Promise<number | undefined> {
  return (await connection.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
}
