// The read-only memory API: items, their list and filters, one item with its embedding, the Markdown export.
import type { MemoryExport, MemoryItem, MemoryList } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUuid, toWireId } from '../../src/runtime/ids.ts'
import { remember } from '../support/drive.ts'
import { Caller, expectRefusal, instantPattern, wireIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
const ids: Record<string, string> = {}
const runId = newUuid()
const successor = newUuid()
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`

beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  const items: Record<string, Parameters<typeof remember>[1]> = {
    plain: {},
    full: {
      workspace_id: 'w1',
      subject_id: 's1',
      run_id: runId,
      kind: 'preference',
      tags: ['a', 'ü'],
      confidence: 0.25,
    },
    embedded: { kind: 'procedure', embedding_model: 'use-lite', embedding: [0.5, -1, 0] },
    old: { workspace_id: 'w1', status: 'superseded', superseded_by: successor },
    archived: { subject_id: 's1', status: 'archived' },
    harness: { kind: 'episode', harness: true, run_id: runId, workspace_id: 'w1' },
    foreign: { customer_id: 'other' },
  }
  for (const [n, [name, item]] of Object.entries(items).entries()) {
    ids[name] = await remember(service.database, {
      title: name,
      content: `About ${name}`,
      created_at: at(n),
      updated_at: at(n),
      ...item,
    })
  }
})
afterAll(() => service.stop())

const list = async (query = '', caller = acme) => (await caller.get(`/v1/memory/items${query}`)).json<MemoryList>()
const titles = ({ items }: MemoryList) => items.map(({ title }) => title)
const one = (name: string, query = '') => acme.get(`/v1/memory/items/${ids[name]}${query}`)

const anItem = (title: string, changes: object = {}) => ({
  id: ids[title],
  workspace_id: null,
  subject_id: null,
  run_id: null,
  kind: 'fact',
  status: 'active',
  harness: false,
  title,
  content: `About ${title}`,
  tags: [],
  confidence: null,
  superseded_by: null,
  embedding_model: null,
  created_at: expect.stringMatching(instantPattern),
  updated_at: expect.stringMatching(instantPattern),
  ...changes,
})

describe('one item', () => {
  test('has exactly its fields', async () => {
    const reply = await one('plain')
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual(anItem('plain', { id: expect.stringMatching(wireIdPattern('mem')) }))
  })

  test('shows all that is known of it', async () => {
    const known = { workspace_id: 'w1', subject_id: 's1', run_id: toWireId('run', runId), kind: 'preference' }
    const more = { tags: ['a', 'ü'], confidence: 0.25, created_at: at(1), updated_at: at(1) }
    expect((await one('full')).json()).toEqual(anItem('full', { ...known, ...more }))
  })

  test('names its successor', async () => {
    const superseded_by = toWireId('mem', successor)
    expect((await one('old')).json()).toEqual(
      anItem('old', { workspace_id: 'w1', status: 'superseded', superseded_by }),
    )
  })

  test('is found by id though it belongs to the harness', async () => {
    expect((await one('harness')).json()).toMatchObject({
      harness: true,
      kind: 'episode',
      run_id: toWireId('run', runId),
    })
  })

  test('shows its embedding only when asked for', async () => {
    const item = anItem('embedded', { kind: 'procedure', embedding_model: 'use-lite' })
    expect((await one('embedded')).json()).toEqual(item)
    expect((await one('embedded', '?include_embedding=false')).json()).toEqual(item)
    expect((await one('embedded', '?include_embedding=true')).json()).toEqual({ ...item, embedding: [0.5, -1, 0] })
  })

  test.each(['nonsense', 'mem_00000000000000000000000000', 'run_00000000000000000000000000', '%00', '1'])(
    '%s answers 404',
    async (id) => expectRefusal(await acme.get(`/v1/memory/items/${id}`), 404, 'MEMORY_ITEM_NOT_FOUND'),
  )

  test('of another customer answers 404', async () => {
    expectRefusal(await one('foreign'), 404, 'MEMORY_ITEM_NOT_FOUND')
    expect((await other.get(`/v1/memory/items/${ids.foreign}`)).status).toBe(200)
  })
})

describe('the list', () => {
  test('has exactly its fields, newest first, without what belongs to the harness', async () => {
    const { items, ...rest } = await list()
    expect(rest).toEqual({ limit: 50, offset: 0 })
    expect(titles({ items, ...rest })).toEqual(['archived', 'old', 'embedded', 'full', 'plain'])
  })

  test('shows items as they are one by one, without embeddings', async () => {
    for (const item of (await list('?include_harness=true')).items) expect(item).toEqual((await one(item.title)).json())
  })

  test.each([
    ['include_harness=true', ['harness', 'archived', 'old', 'embedded', 'full', 'plain']],
    ['include_harness=false', ['archived', 'old', 'embedded', 'full', 'plain']],
    ['status=active', ['embedded', 'full', 'plain']],
    ['status=superseded', ['old']],
    ['status=archived', ['archived']],
    ['workspace_id=w1', ['old', 'full']],
    ['workspace_id=w1&include_harness=true', ['harness', 'old', 'full']],
    ['subject_id=s1', ['archived', 'full']],
    ['workspace_id=w1&subject_id=s1&status=active', ['full']],
    ['workspace_id=nobody', []],
    ['limit=2', ['archived', 'old']],
    ['limit=2&offset=2', ['embedded', 'full']],
    ['offset=4', ['plain']],
    ['offset=5', []],
    ['limit=200&offset=2147483647', []],
  ])('?%s', async (query, expected) => {
    expect(titles(await list(`?${query}`))).toEqual(expected)
  })

  test('tells the limit and offset that were used', async () => {
    expect(await list('?limit=200&offset=3')).toMatchObject({ limit: 200, offset: 3 })
  })

  test('holds only what is the customer’s own', async () => {
    expect(titles(await list('?include_harness=true', other))).toEqual(['foreign'])
  })
})

describe('the export', () => {
  const exported = async (query = '') => (await acme.get(`/v1/memory/export${query}`)).json<MemoryExport>()
  const pathOf = (files: MemoryExport['files'], name: string) =>
    files.find(({ path }) => path.includes(ids[name] ?? '?'))?.path

  test('is a list of files with path and content, one an item, and an index', async () => {
    const answer = await exported()
    expect(Object.keys(answer)).toEqual(['files'])
    for (const file of answer.files) expect(file).toEqual({ path: expect.any(String), content: expect.any(String) })
    expect(answer.files).toHaveLength(6)
    expect(answer.files.map(({ path }) => path)).toContain('index.md')
  })

  test('sorts its files by workspace, subject and kind', async () => {
    const { files } = await exported()
    const slugged = (name: string) => new RegExp(`^workspaces/[^/]+/subjects/[^/]+/[^/]+/[^/]*-${ids[name]}\\.md$`)
    expect(pathOf(files, 'plain')).toMatch(slugged('plain'))
    expect(pathOf(files, 'plain')).toContain('workspaces/_/subjects/_/fact/')
    expect(pathOf(files, 'full')).toContain('workspaces/w1/subjects/s1/preference/')
  })

  test('gives each file front matter and content', async () => {
    const { files } = await exported()
    const file = files.find(({ path }) => path.includes(ids.full ?? '?'))
    const [, frontMatter = '', rest = ''] = file?.content.split(/^---$/m) ?? []
    expect(file?.content.startsWith('---\n')).toBe(true)
    for (const part of [ids.full, 'preference', 'w1', 's1', 'active']) expect(frontMatter).toContain(part)
    expect(rest).toContain('About full')
  })

  test.each([
    ['include_harness=true', 7],
    ['status=active', 4],
    ['workspace_id=w1', 3],
    ['subject_id=s1&status=archived', 2],
  ])('follows the filter ?%s', async (query, count) => {
    expect((await exported(`?${query}`)).files).toHaveLength(count)
  })

  test('keeps labels that look like paths in their place', async () => {
    const labels = ['a/b', '..', '.', '_', 'ü 😀', 'a%2Fb', 'c:\\d']
    for (const label of labels)
      await remember(service.database, { customer_id: 'other', workspace_id: label, title: '../../x' })
    const { files } = (await other.get('/v1/memory/export')).json<MemoryExport>()
    const parts = files.filter(({ path }) => path !== 'index.md').map(({ path }) => path.split('/'))
    expect(parts.every((each) => each.length === 6 && !each.includes('..') && !each.includes('.'))).toBe(true)
    expect(parts.map(([, workspace = '']) => decodeURIComponent(workspace)).sort()).toEqual([...labels, '_'].sort())
    expect(new Set(parts.map(([, workspace]) => workspace)).size).toBe(labels.length + 1)
  })
})

describe('a bad query answers 400', () => {
  const common = [
    'workspace_id=',
    'subject_id=',
    'status=',
    'status=deleted',
    'status=active&status=active',
    'include_harness=',
  ]
  const alike = [...common, 'include_harness=1', 'include_harness=yes', 'nonsense=1', 'cursor=1', '=']
  const pages = [
    'limit=',
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=1',
    'offset=',
    'offset=-1',
    'offset=x',
  ]
  test.each([...alike, ...pages, 'include_embedding=true'])('/v1/memory/items?%s', async (query) => {
    expectRefusal(await acme.get(`/v1/memory/items?${query}`), 400, 'MEMORY_QUERY_PARAMS_INVALID')
  })

  test.each([...alike, 'limit=1', 'offset=0', 'include_embedding=true'])('/v1/memory/export?%s', async (query) => {
    expectRefusal(await acme.get(`/v1/memory/export?${query}`), 400, 'MEMORY_QUERY_PARAMS_INVALID')
  })

  test.each([
    'include_embedding=',
    'include_embedding=1',
    'include_embedding=true&include_embedding=true',
    'nonsense=1',
    'limit=1',
  ])('/v1/memory/items/{id}?%s', async (query) => {
    expectRefusal(await one('plain', `?${query}`), 400, 'MEMORY_QUERY_PARAMS_INVALID')
    expectRefusal(await acme.get(`/v1/memory/items/nonsense?${query}`), 400, 'MEMORY_QUERY_PARAMS_INVALID')
  })
})

describe('no memory answer may be kept by caches', () => {
  test.each([
    ['a list', '/v1/memory/items', 200],
    ['an export', '/v1/memory/export', 200],
    ['a bad query', '/v1/memory/items?limit=0', 400],
    ['an unknown item', '/v1/memory/items/nonsense', 404],
  ])('%s', async (_case, path, status) => {
    const reply = await acme.get(path)
    expect([reply.status, reply.headers['cache-control']]).toEqual([status, 'no-store'])
  })

  test('one item', async () => {
    const reply = await one('plain')
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.json<MemoryItem>().title).toBe('plain')
  })

  test('a refused key', async () => {
    const reply = await new Caller(service.url, null).get('/v1/memory/items')
    expect([reply.status, reply.headers['cache-control']]).toEqual([401, 'no-store'])
  })
})
