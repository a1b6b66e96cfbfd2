// /v1/budgets: set, read and take away what a customer, a workspace and a subject may spend.
import type { BudgetList, BudgetResult, KeyWithSecret, Scope } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordUsage } from '../support/drive.ts'
import { Caller, expectRefusal, instantPattern, jsonType, requestIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
})
afterAll(() => service.stop())

const put = (path: string, body: unknown, caller = acme) =>
  caller.send({ method: 'PUT', path, body, headers: jsonType })
const remove = (path: string, caller = acme) => caller.send({ method: 'DELETE', path })
const monthly = { period: 'month', tokens: 1_000 }

const withScopes = async (...scopes: Scope[]) => {
  const { key, secret } = (await acme.post('/v1/keys', { scopes })).json<KeyWithSecret>()
  return new Caller(service.url, `${key.id}:${secret}`)
}

test('an answer has exactly its fields', async () => {
  const at = new Date().toISOString()
  await recordUsage(service.database, { at, eventType: 'tokens.consumed', quantity: 40, workspaceId: 'w' })
  const reply = await put('/v1/budgets/workspaces/w', monthly)
  expect(reply.status).toBe(200)
  expect(reply.json<BudgetResult>()).toEqual({
    budget: {
      id: 'workspaces/w',
      level: 'workspace',
      workspace_id: 'w',
      subject_id: null,
      period: 'month',
      tokens: 1_000,
      used: 40,
      remaining: 960,
      resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
      created_at: expect.stringMatching(instantPattern),
      updated_at: expect.stringMatching(instantPattern),
    },
    request_id: expect.stringMatching(requestIdPattern),
  })
})

describe.each(['/v1/budgets/customer', '/v1/budgets/workspaces/one', '/v1/budgets/subjects/one'])('%s', (path) => {
  test('is set, read, replaced and taken away', async () => {
    expectRefusal(await acme.get(path), 404, 'BUDGET_NOT_FOUND')
    await put(path, monthly)
    expect((await acme.get(path)).json<BudgetResult>().budget).toMatchObject(monthly)
    await put(path, { period: 'day', tokens: 0 })
    expect((await acme.get(path)).json<BudgetResult>().budget).toMatchObject({ period: 'day', remaining: 0 })
    expectRefusal(await other.get(path), 404, 'BUDGET_NOT_FOUND')
    expectRefusal(await remove(path, other), 404, 'BUDGET_NOT_FOUND')
    const removed = await remove(path)
    const id = path.replace('/v1/budgets/', '')
    expect(removed.json()).toEqual({ id, deleted: true, request_id: removed.headers['x-request-id'] })
    expectRefusal(await remove(path), 404, 'BUDGET_NOT_FOUND')
  })

  test('is read with usage:read and changed with keys:admin', async () => {
    const reader = await withScopes('usage:read')
    const admin = await withScopes('keys:admin')
    expectRefusal(await put(path, monthly, reader), 403, 'SCOPE_DENIED')
    expectRefusal(await remove(path, reader), 403, 'SCOPE_DENIED')
    expectRefusal(await admin.get(path), 403, 'SCOPE_DENIED')
    expect((await put(path, monthly, admin)).status).toBe(200)
    expect((await reader.get(path)).status).toBe(200)
    expect((await remove(path, admin)).status).toBe(200)
  })

  test.each([
    undefined,
    '',
    '{',
    [],
    {},
    { ...monthly, period: 'year' },
    { ...monthly, tokens: -1 },
    { ...monthly, x: 1 },
  ])('refuses the body %j', async (body) => {
    expectRefusal(await put(path, body), 400, 'BUDGET_PAYLOAD_INVALID')
  })

  test('refuses an unknown query parameter where it is read', async () => {
    expectRefusal(await acme.get(`${path}?nonsense=1`), 400, 'BUDGETS_QUERY_PARAMS_INVALID')
  })
})

test.each(['a/b', 'ü 日', '%', '?x=1', '#', '+', '..a', 'x'.repeat(255)])(
  'a label %j stands percent-encoded in the path',
  async (label) => {
    const path = `/v1/budgets/subjects/${encodeURIComponent(label)}`
    expect((await put(path, monthly)).json<BudgetResult>().budget.subject_id).toBe(label)
    const { budget } = (await acme.get(path)).json<BudgetResult>()
    expect([budget.subject_id, `/v1/budgets/${budget.id}`]).toEqual([label, path])
    await remove(path)
  },
)

test('the list holds the budgets of the customer alone, with what is used', async () => {
  await put('/v1/budgets/subjects/theirs', monthly, other)
  await put('/v1/budgets/customer', monthly)
  const { budgets } = (await acme.get('/v1/budgets')).json<BudgetList>()
  expect(budgets.map(({ level, used }) => [level, used])).toEqual([
    ['customer', 40],
    ['workspace', 40],
  ])
})

test('the list has pages, in an order that does not depend on them', async () => {
  const paths = ['customer', 'workspaces/w', 'workspaces/Z', 'subjects/a%2Fb', 'subjects/%C3%BC', 'subjects/z']
  for (const path of paths) await put(`/v1/budgets/${path}`, monthly)
  const whole = (await acme.get('/v1/budgets')).json<BudgetList>()
  const ids = whole.budgets.map(({ id }) => id)
  expect(ids).toEqual(['customer', 'workspaces/Z', 'workspaces/w', 'subjects/a%2Fb', 'subjects/z', 'subjects/%C3%BC'])
  expect(whole.next_cursor).toBeNull()
  const paged: string[] = []
  let query = '?limit=1'
  for (;;) {
    const { budgets, next_cursor } = (await acme.get(`/v1/budgets${query}`)).json<BudgetList>()
    paged.push(...budgets.map(({ id }) => id))
    if (next_cursor === null) break
    query = `?limit=1&cursor=${next_cursor}`
  }
  expect(paged).toEqual(ids)
  expectRefusal(await acme.get('/v1/budgets?limit=201'), 400, 'BUDGETS_QUERY_PARAMS_INVALID')
  for (const cursor of ['x', 'WyJjdXN0b21lciJd', Buffer.from('["subject","\\u0000"]').toString('base64url')]) {
    expectRefusal(await acme.get(`/v1/budgets?cursor=${cursor}`), 400, 'BUDGETS_QUERY_PARAMS_INVALID')
  }
})
