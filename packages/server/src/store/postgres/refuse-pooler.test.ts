import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import type { Database } from './database.ts'
import { refusePooler } from './refuse-pooler.ts'

const refusal =
  'DATABASE_URL leads to a connection pooler in transaction mode, which loses LISTEN and advisory locks: set it to the address of PostgreSQL itself, or set pool_mode = session for this database.'

/** A pooler that gives each transaction a free session, the one that was used last first, or first in first out. */
function pooler({ sessions, order }: { sessions: number; order: 'last' | 'first' }): Database {
  const free = Array.from({ length: sessions }, (_, n) => n + 1)
  const take = () => (order === 'last' ? free.pop() : free.shift()) as number
  const connect = () => {
    let held: number | undefined
    const query = async (text: string) => {
      const pid = held ?? take()
      if (text === 'begin') held = pid
      if (text === 'commit') held = undefined
      if (held === undefined) free.push(pid)
      return { rows: [{ pid }] }
    }
    return { query }
  }
  const withConnection = async (work: (client: unknown) => Promise<unknown>) => work(connect())
  return { withConnection } as unknown as Database
}

test('PostgreSQL itself is not refused', async () => {
  const fresh = await freshDatabase()
  const database = fresh.open(2)
  await expect(refusePooler(database)).resolves.toBeUndefined()
  await fresh.drop()
})

test.each([
  { sessions: 5, order: 'last' },
  { sessions: 5, order: 'first' },
  { sessions: 2, order: 'first' },
] as const)('a pooler with $sessions sessions, the $order one first, is refused', async (pool) => {
  await expect(refusePooler(pooler(pool))).rejects.toThrow(refusal)
})
