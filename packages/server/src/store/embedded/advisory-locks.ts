// Session locks that show who uses a server. PostgreSQL releases them when the connection ends, for any reason.
//   service   exclusive: the one service of the data folder. Not held on a server that a killed service left behind.
//   use       shared by all users of the server, including the service. A process that gets it exclusively is the
//             last user and stops the server; meanwhile no other process can join.
import type { Client } from 'pg'

const LOCK_CLASS = 0x52756e77
const SERVICE = 1
const USE = 2

interface ServiceHolder {
  /** Its application_name, which begins with its process id. */
  readonly name: string
  readonly since: Date
}

export function tryBecomeService(client: Client): Promise<boolean> {
  return ask(client, 'select pg_try_advisory_lock($1, $2) as yes', SERVICE)
}

export function tryShareUse(client: Client): Promise<boolean> {
  return ask(client, 'select pg_try_advisory_lock_shared($1, $2) as yes', USE)
}

export async function giveUpShare(client: Client): Promise<void> {
  await ask(client, 'select pg_advisory_unlock_shared($1, $2) as yes', USE)
}

/** For a process that has released its shared lock. While it is held, no other process can join. */
export function tryUseAlone(client: Client): Promise<boolean> {
  return ask(client, 'select pg_try_advisory_lock($1, $2) as yes', USE)
}

export async function findServiceHolder(client: Client): Promise<ServiceHolder | undefined> {
  const { rows } = await client.query<ServiceHolder>(
    `select activity.application_name as name, activity.backend_start as since
       from pg_locks as lock
       join pg_stat_activity as activity using (pid)
      where lock.locktype = 'advisory'
        and lock.classid = $1
        and lock.objid = $2
        and lock.granted`,
    [LOCK_CLASS, SERVICE],
  )
  return rows[0]
}

async function ask(client: Client, question: string, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(question, [LOCK_CLASS, lock])
  return rows[0]?.yes === true
}
