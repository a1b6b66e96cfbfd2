// Counts the statements that this process sends, and reads how much CPU the database has used.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// The driver that the service uses.
const pg = createRequire(new URL('../../packages/server/package.json', import.meta.url))('pg')

/** The counts go on rising. */
export function countStatements() {
  const counts = { all: 0, claims: 0 }
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (...sent) {
    const { application_name: name = '' } = this.connectionParameters
    if (name.startsWith('runwright')) {
      counts.all += 1
      if (sent[0]?.name === 'claim-runs') counts.claims += 1
    }
    return query.apply(this, sent)
  }
  return counts
}

/** Seconds of CPU of all processes of the server, with those that have ended. The database must be on this host. */
export async function databaseCpu(database) {
  const [{ pid }] = await database.query({ text: 'select pg_backend_pid() as pid' })
  const postmaster = statOf(pid).parent
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(name) ?? [])
    .filter(({ parent }) => parent === postmaster)
  const ended = statOf(postmaster)
  return [...children, ended].reduce((sum, { own }) => sum + own, ended.ofEnded) / 100
}

/** Undefined if the process has just ended. Times are in hundredths of a second. */
function statOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number)
    return { parent: fields[1], own: fields[11] + fields[12], ofEnded: fields[13] + fields[14] }
  } catch {
    return undefined
  }
}
