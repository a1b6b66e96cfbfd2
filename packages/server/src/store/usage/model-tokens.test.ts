import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { operator } from '../../domain/actor.ts'
import { forgetSubject } from '../erasure/forget-subject.ts'
import { removeRunIfEnded } from '../run-log/remove-runs.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { RunLog } from '../run-log/run-log.ts'
import { readGroupTokens, type TokenGroup, tokenGroups } from './model-tokens.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: "insert into customers (id) values ('acme')" })
})
afterAll(() => fresh.drop())

/** Calls that say all, a part, or nothing of their tokens. */
const calls = [
  { model: 'large', input: 30, output: 10, cached: 4 },
  { model: 'large', input: 30, output: 10 },
  { model: 'large', output: 10 },
  { model: 'small' },
  undefined,
]

const usageOf = (details: (typeof calls)[number], n: number) =>
  ({ key: `call-${n}`, eventType: 'tokens.consumed', quantity: 40 + n, ...(details && { details }) }) as const

async function endedRun(agent: string, subjectId: string) {
  const run = newRun({ customerId: 'acme', subjectId, workspaceId: 'w' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  await new RunLog(fresh.database, () => undefined).apply({
    ...{ runId: run.id, customerId: 'acme', epoch: null, trigger: 'cancel' },
    events: [{ type: 'run.cancelled', payload: {}, terminal: true }],
    journal: [{ key: 'agents:run', body: { agent: { name: agent } } }],
    usage: [...calls.map(usageOf), { key: 'tool', eventType: 'tool.invoked', quantity: 1 }],
    tokens: 210,
  })
  return run
}

const range = { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' }
const tokensBy = (by: TokenGroup, agent?: string) =>
  readGroupTokens(fresh.database, {
    ...{ customerId: 'acme', by, range, workspaceId: undefined, subjectId: undefined, agent, maxKeys: 100 },
  })
const all = async (groups: readonly TokenGroup[]) => {
  const found = await Promise.all(groups.map((group) => tokensBy(group)))
  return found.map((rows) => rows.map((row) => JSON.stringify(row)).sort())
}

test('tokens by agent, subject, workspace, month and model are the same after runs were removed one by one', async () => {
  const runs = [await endedRun('clerk', 'ada'), await endedRun('clerk', 'ada'), await endedRun('poet', 'ben')]
  const groups = tokenGroups.filter((group) => group !== 'run')
  const before = await all(groups)
  expect(before[0]).toHaveLength(2 * 4)
  const ofPoet = await tokensBy('subject', 'poet')
  expect(new Set(ofPoet.map(({ key }) => key))).toEqual(new Set(['ben']))
  expect((await tokensBy('run')).map(({ key }) => key)).toEqual(expect.arrayContaining(runs.map(({ id }) => id)))
  for (const { id } of runs) {
    expect(await removeRunIfEnded(fresh.database, { customerId: 'acme', id }, operator)).toBe('cancelled')
    expect(await all(groups)).toEqual(before)
  }
  expect(new Set((await tokensBy('run')).map(({ key }) => key))).toEqual(new Set([null]))
  expect(await tokensBy('subject', 'poet')).toEqual(ofPoet)

  const bySubject = (key: string | null) => async () => (await tokensBy('subject')).filter((row) => row.key === key)
  const [ofAda, ofBen] = [await bySubject('ada')(), await bySubject('ben')()]
  expect(ofAda).not.toEqual([])
  const byAgent = await all(['agent', 'model'])
  await forgetSubject(fresh.database, 'acme', 'ada')
  await forgetSubject(fresh.database, 'acme', 'ben')
  expect(await all(['agent', 'model'])).toEqual(byAgent)
  const sumOf = (rows: readonly { total: number }[]) => rows.reduce((sum, { total }) => sum + total, 0)
  expect(sumOf(await bySubject(null)())).toBe(sumOf(ofAda) + sumOf(ofBen))
})
