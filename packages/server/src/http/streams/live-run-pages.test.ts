// When the pages of open streams are read again, and by how many reads.
import { expect, test } from 'vitest'
import { CustomerChanges } from '../../events/customer-changes.ts'
import { blameProcess } from '../../store/postgres/errors.ts'
import type { PageContent } from './live-run-page.ts'
import { LiveRunPages, type PageKey } from './live-run-pages.ts'

const content = (...runs: [string, string][]): PageContent => ({ runs: new Map(runs), nextCursor: null })
const committed = (customerId: string) => [
  { customerId, runId: 'r', state: undefined, claimable: false, events: [] } as const,
]

/** Pages whose reads end when the test says so. */
function setUp() {
  const changes = new CustomerChanges()
  const reads: { key: PageKey; end: (content: PageContent) => void; fail: (error: Error) => void }[] = []
  const pages = new LiveRunPages({
    changes,
    maxPerCustomer: 2,
    read: (key) => new Promise((end, fail) => reads.push({ key, end, fail })),
  })
  const seen: unknown[] = []
  const open = (customerId: string, query: PageKey['query'] = {}) => {
    const { page, leave } = pages.join({ customerId, query })
    page.follow({ onContent: ({ runs }) => seen.push([...runs]), onError: (error) => seen.push(error) })
    return { page, leave }
  }
  return { changes, reads, pages, seen, open }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A page that was read at about `performance.now()`. */
async function setUpRead(customerId = 'acme') {
  const all = setUp()
  const { page, leave } = all.open(customerId)
  const first = page.read()
  await settled()
  all.reads[0]?.end(content(['run_1', 'a']))
  await first
  return { ...all, page, leave, readAt: performance.now() }
}

test('streams with the same customer and query share a page and its reads', async () => {
  const { reads, open } = setUp()
  const one = open('acme', { status: ['queued'], limit: 5 })
  const same = open('acme', { limit: 5, status: ['queued'] })
  const other = open('other', { limit: 5, status: ['queued'] })
  expect(same.page).toBe(one.page)
  expect(other.page).not.toBe(one.page)
  void one.page.read()
  void same.page.read()
  await settled()
  expect(reads).toHaveLength(1)
})

test('a page is read a second after a change of its customer, and not before', async () => {
  const { changes, pages, reads, readAt } = await setUpRead()
  changes.note(committed('acme'))
  pages.tick(readAt + 900)
  await settled()
  expect(reads).toHaveLength(1)
  pages.tick(readAt + 1_001)
  await settled()
  expect(reads).toHaveLength(2)
})

test('a change of another customer does not count, and without one a page is read after five seconds', async () => {
  const { changes, pages, reads, readAt } = await setUpRead()
  changes.note(committed('other'))
  pages.tick(readAt + 4_900)
  await settled()
  expect(reads).toHaveLength(1)
  pages.tick(readAt + 5_001)
  await settled()
  expect(reads).toHaveLength(2)
})

test('a change during a read leads to another read', async () => {
  const { changes, pages, reads, readAt } = await setUpRead()
  changes.note(committed('acme'))
  pages.tick(readAt + 1_001)
  await settled()
  changes.note(committed('acme'))
  reads[1]?.end(content(['run_1', 'b']))
  await settled()
  pages.tick(performance.now() + 1_001)
  await settled()
  expect(reads).toHaveLength(3)
})

test('followers hear of a different page only', async () => {
  const { page, reads, seen } = await setUpRead()
  const next = async (found: PageContent) => {
    const read = page.read()
    await settled()
    reads.at(-1)?.end(found)
    await read
  }
  await next(content(['run_1', 'a']))
  expect(seen).toEqual([[['run_1', 'a']]])
  await next(content(['run_2', 'b'], ['run_1', 'a']))
  await next(content(['run_1', 'a'], ['run_2', 'b']))
  expect(seen).toHaveLength(3)
})

test('the pages of a customer are read one after another, those of others meanwhile', async () => {
  const { reads, open } = setUp()
  void open('acme', { limit: 1 }).page.read()
  void open('acme', { limit: 2 }).page.read()
  void open('other', { limit: 3 }).page.read()
  await settled()
  expect(reads.map(({ key }) => key.query.limit)).toEqual([1, 3])
  reads[0]?.end(content())
  await settled()
  expect(reads.map(({ key }) => key.query.limit)).toEqual([1, 3, 2])
})

test('a read that fails is told to the followers and does not hold up the next one', async () => {
  const { page, reads, seen } = await setUpRead()
  const failed = page.read()
  const error = new Error('no database')
  await settled()
  reads[1]?.fail(error)
  await expect(failed).rejects.toBe(error)
  expect(seen.at(-1)).toBe(error)
  void page.read()
  await settled()
  expect(reads).toHaveLength(3)
})

test('a page that nobody follows is neither read nor counted', async () => {
  const { pages, reads, open, leave, readAt } = await setUpRead()
  const second = open('acme', { limit: 1 })
  expect(() => open('acme', { limit: 2 })).toThrow(/already follows 2 different lists/)
  leave()
  second.leave()
  pages.tick(readAt + 60_000)
  await settled()
  expect(reads).toHaveLength(1)
  expect(() => open('acme', { limit: 2 })).not.toThrow()
})

test('a read that the process was too busy for ends no stream, and is tried again after a second', async () => {
  const { changes, pages, reads, readAt, seen } = await setUpRead()
  changes.note(committed('acme'))
  pages.tick(readAt + 1_100)
  await settled()
  reads[1]?.fail(blameProcess(new Error('no connection in time')) as Error)
  await settled()
  pages.tick(performance.now() + 1_100)
  await settled()
  reads[2]?.end(content(['run_1', 'b']))
  await settled()
  expect(seen).toEqual([[['run_1', 'a']], [['run_1', 'b']]])
})

test('tokens with the same limits follow a few pages, and leave the others to the rest', () => {
  const changes = { watch: () => () => undefined }
  const pages = new LiveRunPages({ read: async () => content(), changes, maxPerCustomer: 10, maxPerLimits: 2 })
  const join = (limit: number, limitsId?: string) => pages.join({ customerId: 'acme', query: { limit } }, limitsId)
  const first = join(1, 'me')
  join(1, 'me')
  expect(() => join(2, 'me')).toThrow(/holder of the token already follows 2/)
  expect(() => join(2, 'you')).not.toThrow()
  expect(() => join(3)).not.toThrow()
  first.leave()
  expect(() => join(2, 'me')).not.toThrow()
})
