import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import {
  memoryExportQuerySchema,
  memoryExportSchema,
  memoryItemQuerySchema,
  memoryItemSchema,
  memoryListQuerySchema,
  memoryListSchema,
} from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { jsonOf } from '../../../test/support/answer.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { toWireId, newUuid as uuidv7 } from '../../runtime/ids.ts'
import { toVectorBytes } from '../../store/memory/vector-bytes.ts'
import { parseQuery } from '../server/request/query.ts'
import { memoryHandlers } from './memory.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate memory_items' })
})
afterAll(() => fresh.drop())

interface Columns {
  readonly id?: string
  readonly customer_id?: string
  readonly workspace_id?: string | null
  readonly subject_id?: string | null
  readonly run_id?: string | null
  readonly kind?: string
  readonly status?: string
  readonly harness?: boolean
  readonly title?: string
  readonly content?: string
  readonly tags?: readonly string[]
  readonly confidence?: number | null
  readonly superseded_by?: string | null
  readonly embedding_model?: string | null
  readonly embedding_bytes?: Buffer | null
  readonly created_at?: string
  readonly updated_at?: string
}

/** Inserts an item and returns its wire id. */
async function remember(columns: Columns = {}): Promise<string> {
  const row = {
    id: uuidv7(),
    customer_id: 'acme',
    kind: 'fact',
    title: 'Title',
    content: 'Content',
    created_at: '2026-11-15T00:00:00Z',
    updated_at: '2026-11-15T00:00:00Z',
    ...columns,
  }
  const names = Object.keys(row)
  const places = names.map((_, index) => `$${index + 1}`)
  await fresh.database.run({
    text: `insert into memory_items (${names.join(', ')}) values (${places.join(', ')})`,
    values: Object.values(row),
  })
  return toWireId('mem', row.id)
}

const callOf = <Q>(query: Q, { customer = 'acme', id = '' } = {}) => ({
  requestId: 'req_1',
  principal: { keyId: 'key_1', keyName: null, customerId: customer, scopes: new Set<never>(), suspended: false },
  id,
  query,
  body: undefined,
  request: new IncomingMessage(new Socket()),
})

type Query = Record<string, string>
const parsed = <Q extends z.ZodType>(schema: Q, query: Query) =>
  parseQuery(schema, new URLSearchParams(query).toString(), 'MEMORY_QUERY_PARAMS_INVALID')

const handlers = () => memoryHandlers({ reads: fresh.database, database: fresh.database })

const list = async (query: Query = {}, customer = 'acme') => {
  const answer = await handlers().listMemory(callOf(parsed(memoryListQuerySchema, query), { customer }))
  return memoryListSchema.parse(await jsonOf(answer))
}
const idsOf = async (query: Query = {}, customer = 'acme') => (await list(query, customer)).items.map(({ id }) => id)

const get = async (id: string, query: Query = {}, customer = 'acme') =>
  handlers().getMemory(callOf(parsed(memoryItemQuerySchema, query), { id, customer }))

const exportFiles = async (query: Query = {}, customer = 'acme') => {
  const answer = await handlers().exportMemory(callOf(parsed(memoryExportQuerySchema, query), { customer }))
  return memoryExportSchema.parse(await jsonOf(answer)).files
}
const pathsOf = async (query: Query = {}, customer = 'acme') =>
  (await exportFiles(query, customer)).map(({ path }) => path)

const noSuchItem = { reason: 'MEMORY_ITEM_NOT_FOUND', message: 'No memory item has this id.' }

describe('an item', () => {
  test('has exactly its fields, in their order', async () => {
    const [id, runId, newer] = [uuidv7(), uuidv7(), uuidv7()]
    const wireId = await remember({
      id,
      workspace_id: 'w',
      subject_id: 's',
      run_id: runId,
      kind: 'preference',
      status: 'superseded',
      title: 'Units',
      content: 'Metric.',
      tags: ['a', 'b,"c"'],
      confidence: 0.25,
      superseded_by: newer,
      embedding_model: 'use-lite',
      embedding_bytes: toVectorBytes(Float32Array.of(1)),
      created_at: '2026-11-15T01:02:03.004999Z',
      updated_at: '2026-11-15T01:02:03.005Z',
    })
    const { body } = await get(wireId)
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        id: wireId,
        workspace_id: 'w',
        subject_id: 's',
        run_id: toWireId('run', runId),
        kind: 'preference',
        status: 'superseded',
        harness: false,
        title: 'Units',
        content: 'Metric.',
        tags: ['a', 'b,"c"'],
        confidence: 0.25,
        superseded_by: toWireId('mem', newer),
        embedding_model: 'use-lite',
        created_at: '2026-11-15T01:02:03.004Z',
        updated_at: '2026-11-15T01:02:03.005Z',
      }),
    )
    expect((await list()).items).toEqual([body])
  })

  test('has null for missing values', async () => {
    const { body } = await get(await remember())
    expect(body).toMatchObject({
      workspace_id: null,
      subject_id: null,
      run_id: null,
      tags: [],
      confidence: null,
      superseded_by: null,
      embedding_model: null,
    })
  })

  test('shows its embedding only on request, null if there is none', async () => {
    const embedded = await remember({
      embedding_model: 'm',
      embedding_bytes: toVectorBytes(Float32Array.of(0.5, -2.5, 0)),
    })
    const bare = await remember()
    expect((await get(embedded)).body).not.toHaveProperty('embedding')
    expect((await get(embedded, { include_embedding: 'false' })).body).not.toHaveProperty('embedding')
    expect((await get(embedded, { include_embedding: 'true' })).body).toHaveProperty('embedding', [0.5, -2.5, 0])
    expect((await get(bare, { include_embedding: 'true' })).body).toHaveProperty('embedding', null)
    expect(memoryItemSchema.safeParse((await get(bare, { include_embedding: 'true' })).body).success).toBe(true)
  })

  test('is found by its id whether it is harness or not', async () => {
    const id = await remember({ harness: true, kind: 'episode' })
    for (const query of [{}, { include_harness: 'false' }, { include_harness: 'true' }] as Query[]) {
      expect((await get(id, query)).body).toMatchObject({ id, harness: true })
    }
  })

  test('that does not match a filter is not found', async () => {
    const id = await remember({ workspace_id: 'w', subject_id: 's' })
    const matching: Query = { workspace_id: 'w', subject_id: 's', status: 'active' }
    expect((await get(id, matching)).body).toMatchObject({ id })
    for (const other of [{ workspace_id: 'v' }, { subject_id: 'v' }, { status: 'archived' }] as Query[]) {
      await expect(get(id, { ...matching, ...other })).rejects.toMatchObject(noSuchItem)
    }
  })

  test('of another customer, an unknown one and a malformed id get the same error', async () => {
    const foreign = await remember({ customer_id: 'globex' })
    const ids = [foreign, toWireId('mem', uuidv7()), foreign.replace('mem_', 'run_'), foreign.toUpperCase(), 'x', '%']
    const answers = await Promise.all(
      ids.map((id) =>
        get(id).catch(({ reason, message }: { reason: string; message: string }) => ({ reason, message })),
      ),
    )
    expect(answers).toEqual(ids.map(() => noSuchItem))
  })
})

describe('the list', () => {
  test('is newest first, the larger id first among equals', async () => {
    const older = await remember({ created_at: '2026-11-14T00:00:00Z' })
    const first = await remember({ created_at: '2026-11-15T00:00:00.000001Z' })
    const [small, large] = [await remember(), await remember()]
    expect(await idsOf()).toEqual([first, large, small, older])
  })

  test('returns the first 50 by default', async () => {
    const ids: string[] = []
    for (let count = 0; count < 52; count += 1) ids.unshift(await remember())
    expect(await list()).toMatchObject({ limit: 50, offset: 0 })
    expect(await idsOf()).toEqual(ids.slice(0, 50))
    expect(await idsOf({ offset: '50' })).toEqual(ids.slice(50))
    expect(await idsOf({ limit: '2', offset: '1' })).toEqual(ids.slice(1, 3))
    expect(await list({ limit: '200', offset: '2147483647' })).toEqual({ items: [], limit: 200, offset: 2147483647 })
  })

  test('has exactly items, limit and offset', async () => {
    expect(Object.keys(await list())).toEqual(['items', 'limit', 'offset'])
  })

  test('contains every status by default', async () => {
    const active = await remember({ status: 'active' })
    const superseded = await remember({ status: 'superseded' })
    const archived = await remember({ status: 'archived' })
    expect(await idsOf()).toEqual([archived, superseded, active])
    expect(await idsOf({ status: 'active' })).toEqual([active])
    expect(await idsOf({ status: 'superseded' })).toEqual([superseded])
    expect(await idsOf({ status: 'archived' })).toEqual([archived])
  })

  test('contains harness items only on request', async () => {
    const plain = await remember()
    const harness = await remember({ harness: true })
    expect(await idsOf()).toEqual([plain])
    expect(await idsOf({ include_harness: 'false' })).toEqual([plain])
    expect(await idsOf({ include_harness: 'true' })).toEqual([harness, plain])
  })

  test('never shows an embedding', async () => {
    await remember({ embedding_model: 'm', embedding_bytes: toVectorBytes(Float32Array.of(1)) })
    expect((await list()).items[0]).not.toHaveProperty('embedding')
  })

  test('never shows items of another customer', async () => {
    await remember({ customer_id: 'globex', workspace_id: 'w', subject_id: 's' })
    expect(await idsOf({ workspace_id: 'w', subject_id: 's', include_harness: 'true' })).toEqual([])
    expect(await idsOf({}, 'globex')).toHaveLength(1)
  })

  test.each(['_', '%', "o'neill", '../x', '日本 🚀', ' ', 'x'.repeat(255)])(
    'finds the exact label %j',
    async (label) => {
      await remember({ workspace_id: 'other', subject_id: label })
      const id = await remember({ workspace_id: label, subject_id: label })
      expect(await idsOf({ workspace_id: label })).toEqual([id])
      expect(await idsOf({ workspace_id: label, subject_id: label })).toEqual([id])
    },
  )

  test.each([
    { limit: '0' },
    { limit: '201' },
    { limit: '-1' },
    { limit: '1.5' },
    { limit: '' },
    { offset: '-1' },
    { offset: '2147483648' },
    { status: 'deleted' },
    { include_harness: '1' },
    { include_embedding: 'true' },
    { workspace_id: '' },
    { subject_id: 'x'.repeat(256) },
    { kind: 'fact' },
  ])('%j is refused', async (query) => {
    await expect(list({ ...query })).rejects.toMatchObject({ reason: 'MEMORY_QUERY_PARAMS_INVALID' })
  })
})

describe('the export', () => {
  test('contains an index and a file per item, newest first', async () => {
    const older = await remember({ title: 'Older', created_at: '2026-11-14T00:00:00Z' })
    const newer = await remember({ title: 'Newer', workspace_id: '..', subject_id: '_', kind: 'procedure' })
    expect(await pathsOf()).toEqual([
      'index.md',
      `workspaces/%2E%2E/subjects/%5F/procedure/newer-${newer}.md`,
      `workspaces/_/subjects/_/fact/older-${older}.md`,
    ])
  })

  test('takes the filters of the list', async () => {
    const plain = await remember({ workspace_id: 'w', subject_id: 's' })
    const harness = await remember({ workspace_id: 'w', subject_id: 's', harness: true })
    await remember({ workspace_id: 'w', status: 'archived' })
    const exported = async (query: Query) => (await pathsOf(query)).slice(1).map((path) => path.slice(-33, -3))
    expect(await exported({ subject_id: 's' })).toEqual([plain])
    expect(await exported({ subject_id: 's', include_harness: 'true' })).toEqual([harness, plain])
    expect(await exported({ workspace_id: 'w', status: 'active' })).toEqual([plain])
    expect(await exported({ workspace_id: 'v' })).toEqual([])
  })

  test('never contains items of another customer', async () => {
    await remember({ customer_id: 'globex', harness: true })
    expect(await pathsOf({ include_harness: 'true' })).toEqual(['index.md'])
  })

  test('is the same twice', async () => {
    await remember({ title: 'One' })
    await remember({ title: 'Two' })
    expect(await exportFiles()).toEqual(await exportFiles())
  })

  test('that would be too large is refused', async () => {
    await remember({ content: 'x'.repeat(32 * 1024 * 1024) })
    await expect(exportFiles()).rejects.toMatchObject({
      reason: 'MEMORY_QUERY_PARAMS_INVALID',
      message: expect.stringContaining('too large'),
    })
    expect(await exportFiles({ workspace_id: 'w' })).toHaveLength(1)
  })

  test.each([{ limit: '5' }, { include_embedding: 'true' }, { status: 'x' }])('%j is refused', async (query) => {
    await expect(exportFiles({ ...query })).rejects.toMatchObject({ reason: 'MEMORY_QUERY_PARAMS_INVALID' })
  })
})

test('no response is cacheable', async () => {
  const id = await remember()
  const { listMemory, exportMemory } = handlers()
  for (const answer of [await get(id), await listMemory(callOf({})), await exportMemory(callOf({}))]) {
    expect(answer.headers).toEqual({ 'cache-control': 'no-store' })
  }
})
