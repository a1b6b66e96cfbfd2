import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newUuid as uuidv7 } from '../../runtime/ids.ts'
import { Database } from '../postgres/database.ts'
import type { MemoryFilter } from './rows.ts'
import { readAllMemory } from './snapshot.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate memory_items' })
})
afterAll(() => fresh.drop())

const everything: MemoryFilter = {
  customerId: 'acme',
  workspaceId: undefined,
  subjectId: undefined,
  status: undefined,
  includeHarness: true,
}

/** Items 1 to `count`, oldest first; within ten the time is the same and the id decides. */
const insertMany = (count: number) =>
  fresh.database.run({
    text: `insert into memory_items (id, customer_id, kind, title, content, created_at, updated_at)
           select lpad(n::text, 32, '0')::uuid, 'acme', 'fact', n::text, '', at, at
           from generate_series(1, $1) n, to_timestamp(n / 10) at`,
    values: [count],
  })

test('all pages are read, each item once, newest first', async () => {
  await insertMany(1_001)
  const records = await readAllMemory(fresh.database, everything, 10_000_000)
  expect(records?.map(({ title }) => Number(title))).toEqual(Array.from({ length: 1_001 }, (_, n) => 1_001 - n))
})

test('an export that is too long stops before it has read everything', async () => {
  await insertMany(1_001)
  expect(await readAllMemory(fresh.database, everything, 500_000)).toBeUndefined()
  expect(await readAllMemory(fresh.database, everything, 2_000_000)).toHaveLength(1_001)
})

test('labels count with the length that they have in paths and links', async () => {
  const label = '🚀'.repeat(255)
  await fresh.database.run({
    text: `insert into memory_items (id, customer_id, workspace_id, kind, title, content, created_at, updated_at)
           values ($1, 'acme', $2, 'fact', '', '', now(), now())`,
    values: [uuidv7(), label],
  })
  expect(await readAllMemory(fresh.database, everything, 10_000)).toBeUndefined()
})

test('an item that is superseded during an export appears as it was when the export began', async () => {
  await insertMany(401)
  const meddled = new MeddledDatabase(fresh, async () => {
    await fresh.database.run({ text: `update memory_items set status = 'superseded'` })
    await fresh.database.run({ text: 'delete from memory_items where title::int < 100' })
  })
  const records = await readAllMemory(meddled, { ...everything, status: 'active' }, 10_000_000)
  await meddled.close()
  expect(records).toHaveLength(401)
})

test('an export restarts after its connection was lost', async () => {
  await insertMany(401)
  const meddled = new MeddledDatabase(fresh, () =>
    fresh.database.run({
      text: `select pg_terminate_backend(pid, 5000) from pg_stat_activity
             where application_name = $1 and datname = current_database()`,
      values: ['meddled'],
    }),
  )
  const records = await readAllMemory(meddled, everything, 10_000_000)
  await meddled.close()
  expect(records).toHaveLength(401)
})

/** Does something once, in the middle: before the second page is fetched. */
class MeddledDatabase extends Database {
  readonly #meddle: () => Promise<unknown>
  #fetches = 0

  constructor({ connection }: FreshDatabase, meddle: () => Promise<unknown>) {
    super({ connection, maxConnections: 1, applicationName: 'meddled' })
    this.#meddle = meddle
  }

  override withConnection: Database['withConnection'] = (work) =>
    super.withConnection((client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      const watched = async (...args: unknown[]) => {
        if (String(args[0]).startsWith('fetch') && ++this.#fetches === 2) await this.#meddle()
        return query(...args)
      }
      return work(new Proxy(client, { get: (target, key) => (key === 'query' ? watched : Reflect.get(target, key)) }))
    })
}
