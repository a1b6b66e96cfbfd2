import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type Budget, budgetListSchema, budgetResultSchema } from '@runwright/contract'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import { insertCustomer } from '../../store/keys/customers.ts'
import { Database } from '../../store/postgres/database.ts'
import { foldDeltas } from '../../store/usage/fold.ts'
import { budgetHandlers } from './budgets.ts'

/** Someone deletes all budgets after each transaction. */
class RacingDatabase extends Database {
  override async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const result = await super.transaction(work)
    await fresh.database.run({ text: 'delete from budgets' })
    return result
  }
}

let fresh: FreshDatabase
let customerId: string
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  customerId = randomUUID()
  await insertCustomer(fresh.database, customerId)
})
afterAll(() => fresh.drop())

const callOf = (id: string, body?: unknown, customer = customerId) => ({
  requestId: 'req_1',
  principal: { keyId: 'key_1', keyName: null, customerId: customer, scopes: new Set<never>(), suspended: false },
  id,
  query: undefined,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  request: new IncomingMessage(new Socket()),
})

const handlers = () => budgetHandlers({ database: fresh.database, reads: fresh.database, onChanged: () => undefined })
type Name = Exclude<keyof ReturnType<typeof budgetHandlers>, 'listBudgets'>

async function ask(name: Name, id = '', body?: unknown): Promise<Budget> {
  const answer = await handlers()[name](callOf(id, body))
  return budgetResultSchema.strict().parse(answer.body).budget
}

async function list(): Promise<Budget[]> {
  const answer = await handlers().listBudgets({ ...callOf(''), query: {} })
  return budgetListSchema.strict().parse(answer.body).budgets
}

const notFound = { reason: 'BUDGET_NOT_FOUND' }
const monthly = { period: 'month', tokens: 100 } as const
const daily = { period: 'day', tokens: 10 } as const

const spend = (usage: { workspaceId?: string; subjectId?: string; quantity: number; at?: Date }) =>
  recordUsages(fresh.database, customerId, [
    { eventType: 'tokens.consumed', ...usage, at: (usage.at ?? new Date()).toISOString() },
    { eventType: 'tool.invoked', ...usage, at: new Date().toISOString() },
  ])

describe('a budget', () => {
  test('is reset at the next midnight of UTC, or at the start of the next month', async () => {
    const now = new Date()
    const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const ofDay = await ask('putCustomerBudget', '', daily)
    expect(ofDay.resets_at).toBe(new Date(Date.UTC(year, month, day + 1)).toISOString())
    const ofMonth = await ask('putCustomerBudget', '', monthly)
    expect(ofMonth.resets_at).toBe(new Date(Date.UTC(year, month + 1)).toISOString())
  })

  test('is replaced by another, and keeps its creation time', async () => {
    const first = await ask('putSubjectBudget', 's', monthly)
    const second = await ask('putSubjectBudget', 's', daily)
    expect(second).toMatchObject({ level: 'subject', subject_id: 's', ...daily, created_at: first.created_at })
    expect(await list()).toHaveLength(1)
  })

  test('is returned as it was written, although it is deleted a moment later', async () => {
    const racing = new RacingDatabase({ ...fresh.database.options, maxConnections: 1 })
    const { putSubjectBudget } = budgetHandlers({ database: racing, reads: racing, onChanged: () => undefined })
    const { body } = await putSubjectBudget(callOf('s', daily)).finally(() => racing.close())
    expect(budgetResultSchema.parse(body).budget).toMatchObject({ subject_id: 's', ...daily, used: 0 })
  })

  test('of another customer, level or label is not found', async () => {
    await ask('putWorkspaceBudget', 'w', monthly)
    await expect(ask('getSubjectBudget', 'w')).rejects.toMatchObject(notFound)
    await expect(ask('getWorkspaceBudget', 'W')).rejects.toMatchObject(notFound)
    await expect(handlers().getWorkspaceBudget(callOf('w', undefined, 'other'))).rejects.toMatchObject(notFound)
  })

  test.each(['', 'x'.repeat(256), '\0', '\ud800'])('cannot have %j, which is not a label', async (label) => {
    await expect(ask('getWorkspaceBudget', label)).rejects.toMatchObject(notFound)
    await expect(ask('deleteSubjectBudget', label)).rejects.toMatchObject(notFound)
    await expect(ask('putWorkspaceBudget', label, daily)).rejects.toMatchObject({ reason: 'BUDGET_PAYLOAD_INVALID' })
  })
})

describe('used tokens', () => {
  test.each([false, true])('are the tokens used by the owner of the budget (folded: %s)', async (isFolded) => {
    await ask('putCustomerBudget', '', monthly)
    await ask('putWorkspaceBudget', 'w', monthly)
    await ask('putSubjectBudget', 's', daily)
    await spend({ workspaceId: 'w', subjectId: 's', quantity: 7 })
    await spend({ workspaceId: 'v', subjectId: 's', quantity: 20 })
    await spend({ workspaceId: 'w', quantity: 100 })
    if (isFolded) await foldDeltas(fresh.database, 1_000)
    const listed = (await list()).map(({ level, used, remaining }) => [level, used, remaining])
    expect(listed).toEqual([
      ['customer', 127, 0],
      ['workspace', 107, 0],
      ['subject', 27, 0],
    ])
  })

  test('count from the start of the period', async () => {
    const now = new Date()
    const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 1)
    await spend({ quantity: 5, at: lastMonth })
    await foldDeltas(fresh.database, 1_000)
    await spend({ quantity: 3, at: lastMonth })
    await spend({ quantity: 1 })
    expect(await ask('putCustomerBudget', '', monthly)).toMatchObject({ used: 1, remaining: 99 })
  })
})

test('a customer has at most 10,000 budgets, and can change existing ones', async () => {
  await fresh.database.run({
    text: `insert into budgets (customer_id, level, label, period, tokens, created_at, updated_at)
      select $1, 'subject', n::text, 'day', 1, now(), now() from generate_series(1, 10000) n`,
    values: [customerId],
  })
  await expect(ask('putSubjectBudget', 'one more', daily)).rejects.toMatchObject({
    reason: 'LIMIT_REACHED',
    message: expect.stringContaining('10000'),
  })
  expect(await ask('putSubjectBudget', '77', daily)).toMatchObject({ tokens: 10 })
})

test.each([
  [undefined, /./],
  ['', /./],
  ['{', /./],
  [[], /object/],
  [{}, /period is required/],
  [{ period: 'day' }, /tokens is required/],
  [{ period: 'week', tokens: 1 }, /period must be one of/],
  [{ period: 'day', tokens: -1 }, /tokens must be at least 0/],
  [{ period: 'day', tokens: 1.5 }, /tokens must be an integer/],
  [{ period: 'day', tokens: '1' }, /tokens must be a number/],
  [{ period: 'day', tokens: 2 ** 53 }, /./],
  [{ period: 'day', tokens: null }, /not null/],
  [{ period: 'day', tokens: 1, level: 'customer' }, /level is not a known field/],
])('the body %j is refused with the name of the faulty field', async (body, message) => {
  await expect(ask('putCustomerBudget', '', body)).rejects.toMatchObject({
    reason: 'BUDGET_PAYLOAD_INVALID',
    message: expect.stringMatching(message),
  })
})
