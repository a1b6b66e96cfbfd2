// Finds out whether the server accepts writes, and after a full disk, whether there is room again.
import type { Database } from './database.ts'
import { isDiskFull, isSqlState, type WriteProblem } from './errors.ts'

/** Costs a disk nothing as long as no write of this process was refused. */
export async function findWriteProblem(database: Database): Promise<WriteProblem | undefined> {
  const found = (await isReadOnly(database)) ? 'read_only' : (await isStillFull(database)) ? 'disk_full' : undefined
  database.writes.noteWriteProblem(found)
  return found
}

async function isReadOnly(database: Database): Promise<boolean> {
  const text = "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only"
  const [row] = await database.run<{ is_read_only: boolean }>({ text })
  return row?.is_read_only === true
}

const isStillFull = async (database: Database): Promise<boolean> =>
  database.writes.writeProblem === 'disk_full' && !(await hasRoom(database))

/** About 1 MB, as a temporary file beside the tables: it is gone after the statement, and no row or log is written. */
async function hasRoom(database: Database): Promise<boolean> {
  try {
    await database.transaction(async (client) => {
      await client.query("set local work_mem = '64kB'; set local temp_tablespaces = ''")
      await client.query('select max(n) from generate_series(1, 40000) as n')
    })
    return true
  } catch (error) {
    if (isDiskFull(error)) return false
    // Such as a `temp_file_limit`: nothing speaks against a try.
    if (isSqlState(error)) return true
    throw error
  }
}
