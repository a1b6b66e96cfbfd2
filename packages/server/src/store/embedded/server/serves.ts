// Whether a server has the cluster of a site: it must see a mark in the folder. The server's path of the folder proves
// nothing: the folder may have been copied or mounted elsewhere, or the path is /proc/self/cwd (see site.ts).
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { Site } from '../site/site.ts'

export async function serves(client: Client, { clusterDir }: Site): Promise<boolean> {
  const mark = `runwright-${randomUUID()}`
  writeFileSync(join(clusterDir, mark), '', { flag: 'wx' })
  try {
    const { rows } = await client.query<{ seen: boolean }>('select (pg_stat_file($1, true)).size is not null as seen', [
      mark,
    ])
    return rows[0]?.seen === true
  } finally {
    rmSync(join(clusterDir, mark), { force: true })
  }
}
