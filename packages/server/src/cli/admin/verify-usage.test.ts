import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { recordUsages } from '../../../test/support/usage.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { foldDeltas } from '../../store/usage/fold.ts'
import { usageCommand } from './usage.ts'

let fresh: FreshDatabase
let out: string[]

beforeAll(async () => {
  fresh = await freshDatabase()
  const usage = { eventType: 'tokens.consumed', quantity: 40, workspaceId: 'w' }
  await recordUsages(fresh.database, 'acme', [{ at: '2026-11-15T09:00:00Z', ...usage }])
  await recordUsages(fresh.database, 'globex', [{ at: '2026-11-15T09:00:00Z', ...usage }])
  await foldDeltas(fresh.database, 100)
})
afterAll(() => fresh.drop())
beforeEach(() => {
  out = []
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(text))
  return () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
})

async function usage(...argv: string[]): Promise<string> {
  out.length = 0
  await usageCommand(process, async () => (work) => work({ database: fresh.database, keyPepper })).parseAsync(argv, {
    from: 'user',
  })
  return out.join('\n')
}

test('verify prints what it checked, and that nothing differs', async () => {
  const text = await usage('verify')
  expect(text).toBe('Checked 2 months of 2 customers: 2 records against 18 totals and 0 runs.\nNo differences.')
  expect(process.exitCode).toBe(0)
})

test('verify lists differences and fails; with --repair it corrects them and finds none afterwards', async () => {
  await fresh.database.run({
    text: `update usage_totals set quantity = 41 where customer_id = 'acme' and grain = 'day' and level = 'workspace'`,
  })
  const listed = await usage('verify')
  expect(listed).toContain('1 difference (count / quantity):')
  expect(listed).toMatch(/^acme +day +2026-11-15 00:00, level workspace +tokens.consumed +w +- +1 \/ 40 +1 \/ 41$/m)
  expect(process.exitCode).toBe(1)

  const repaired = await usage('verify', '--repair')
  expect(repaired).toContain('Recomputed the totals of 1 month from the records.')
  expect(repaired.endsWith('No differences.')).toBe(true)
  expect(process.exitCode).toBe(0)
})

test('verify --repair fails if a run differs from its records, also in a month with correct totals', async () => {
  const run = newRun({ customerId: 'acme' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  await fresh.database.run({ text: `update runs set tokens = 7, created_at = '2026-09-01' where id = '${run.id}'` })
  await fresh.database.run({ text: `update usage_deltas set hour = '2026-09-01' where event_type = 'run.created'` })
  await fresh.database.run({ text: `update usage_totals set count = 9 where customer_id = 'acme' and grain = 'day'` })
  const repaired = await usage('verify', '--repair')
  expect(repaired).toContain('Recomputed the totals of 1 month from the records.')
  expect(repaired).toMatch(/\n1 difference \(count \/ quantity\):\n.*\nacme +run +\S+ +tokens.consumed .*$/)
  expect(process.exitCode).toBe(1)
  await fresh.database.run({ text: `update runs set tokens = 0 where id = '${run.id}'` })
})

test('verify of one customer ignores the others', async () => {
  await fresh.database.run({ text: `delete from usage_totals where customer_id = 'globex'` })
  expect(await usage('verify', '--customer', 'acme')).toContain('of 1 customer: 2 records against')
  expect(process.exitCode).toBe(0)
  await usage('verify')
  expect(process.exitCode).toBe(1)
})
