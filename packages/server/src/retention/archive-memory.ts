// Archives notes that were superseded long ago: they stay readable, and are no longer listed as superseded.
import { archiveSuperseded } from '../store/memory/archive.ts'
import type { Database } from '../store/postgres/database.ts'

const supersededDays = 90

export async function archiveMemory(database: Database): Promise<{ archived: number }> {
  return { archived: await archiveSuperseded(database, supersededDays) }
}
