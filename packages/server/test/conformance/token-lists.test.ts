// Lists with tokens of end users: two subjects of a customer, and a subject of the same name of another one. Every list
// shows the own things of all three callers, so that one that showed those of another caller would be noticed.
import type { TokenScope } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remember } from '../support/drive.ts'
import { Caller, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken } from '../support/tokens.ts'

const scopes: TokenScope[] = ['runs:read', 'usage:read', 'memory:read']
let service: Service
/** The key of the customer, and the holders of tokens. */
const callers: Record<string, Caller> = {}
const caller = (name: string): Caller => callers[name] ?? expect.fail(name)

/** Who owns how many of each thing. No two have as many. */
const owners = [
  { customerId: 'acme', subject: 'me', count: 2 },
  { customerId: 'acme', subject: 'you', count: 3 },
  { customerId: 'other', subject: 'me', count: 4 },
] as const

beforeAll(async () => {
  service = await startService()
  callers.acme = new Caller(service.url, service.key)
  callers.other = new Caller(service.url, service.otherKey)
  // In turns, so that each page of a wider list has things of several owners.
  for (let n = 0; n < 4; n += 1)
    for (const { customerId, subject, count } of owners) if (n < count) await addOne(customerId, subject, n)
  for (const { customerId, subject } of owners)
    callers[`${subject} of ${customerId}`] = await withToken(caller(customerId), { scopes, subject_id: subject })
})
afterAll(() => service.stop())

async function addOne(customerId: string, subject: string, n: number): Promise<void> {
  const labels = { workspace_id: 'shared', subject_id: subject }
  await caller(customerId).newRun(labels)
  const title = `${customerId} ${subject} ${n}`
  await remember(service.database, { customer_id: customerId, title, content: title, ...labels })
}

const paths = [
  '/v1/runs',
  '/v1/runs/counts',
  '/v1/usage',
  '/v1/usage/events',
  '/v1/memory/items',
  '/v1/memory/export',
] as const

/** Without what differs from one request to the next. */
const contentOf = ({ status, text }: Reply) => {
  expect(status, text).toBe(200)
  return text.replace(/"request_id":"[^"]*"/, '').replace(/"(?:start|end)":"[^"]*"/g, '')
}

describe.each(paths)('GET %s', (path) => {
  test.each(owners.map(({ customerId, subject }) => [subject, customerId]))(
    'shows %s of %s what the key of that customer sees with the filter, and nobody the same',
    async (subject, customerId) => {
      const ask = async (who: string, query = '') => contentOf(await caller(who).get(`${path}${query}`))
      const own = await ask(`${subject} of ${customerId}`)
      expect(own).toBe(await ask(customerId, `?subject_id=${subject}`))
      const others = [
        await ask('acme'),
        ...owners
          .filter((owner) => owner.subject !== subject || owner.customerId !== customerId)
          .map((owner) => ask(`${owner.subject} of ${owner.customerId}`)),
      ]
      expect(await Promise.all(others)).not.toContain(own)
    },
  )
})

describe('a place in a wider list', () => {
  /** The parts of a page that name a subject. */
  const subjectsIn = (reply: Reply) =>
    [...contentOf(reply).matchAll(/"subject_id":"(\w+)"/g)].map(([, subject = '']) => subject)

  test.each(['/v1/runs', '/v1/usage/events'])('of %s, with its cursor, shows only the own', async (path) => {
    const first = await caller('acme').get(`${path}?limit=1`)
    const cursor = encodeURIComponent(String(first.json().next_cursor))
    const ask = (who: string) => caller(who).get(`${path}?cursor=${cursor}`)
    expect(new Set(subjectsIn(await ask('acme')))).toEqual(new Set(['me', 'you']))
    for (const subject of ['me', 'you']) {
      const subjects = subjectsIn(await ask(`${subject} of acme`))
      expect(subjects.length).toBeGreaterThan(0)
      expect(new Set(subjects)).toEqual(new Set([subject]))
    }
  })

  test('of memory, with its offset, shows only the own', async () => {
    const ask = (who: string, offset: number) => caller(who).get(`/v1/memory/items?offset=${offset}`)
    expect(new Set(subjectsIn(await ask('acme', 1)))).toEqual(new Set(['me', 'you']))
    for (const { subject, count } of owners.slice(0, 2))
      for (let offset = 0; offset <= count; offset += 1)
        expect(subjectsIn(await ask(`${subject} of acme`, offset))).toEqual(Array(count - offset).fill(subject))
  })
})

test('a subject of the same name of another customer has its own budget', async () => {
  const put = (who: string, tokens: number) =>
    caller(who).send({
      method: 'PUT',
      path: '/v1/budgets/subjects/me',
      body: { period: 'day', tokens },
      headers: jsonType,
    })
  const ask = (who: string) => caller(who).get('/v1/budgets/subjects/me')
  await put('acme', 1_000)
  expect((await ask('me of acme')).json()).toMatchObject({ budget: { tokens: 1_000 } })
  expect([(await ask('me of other')).status, (await ask('you of acme')).status]).toEqual([404, 404])
  await put('other', 2_000)
  expect((await ask('me of other')).json()).toMatchObject({ budget: { tokens: 2_000 } })
  expect((await ask('me of acme')).json()).toMatchObject({ budget: { tokens: 1_000 } })
})
