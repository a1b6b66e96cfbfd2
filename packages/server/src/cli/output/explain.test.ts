// What the command line prints for an error: one sentence if it is expected, the stack if it is a bug.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { DatabaseUnavailableError } from '../../store/postgres/errors.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { explain } from './explain.ts'

const coded = (code: string) => Object.assign(new Error('refused'), { code })

beforeEach(() => vi.stubEnv('DATABASE_URL', ''))

test.each([
  ['53100', 'The disk of the database is full. Free space, then try again.'],
  ['25006', /^The database is read-only: it is a standby, or default_transaction_read_only is on\. Use the address/],
  ['ECONNREFUSED', /^The embedded database cannot be reached: refused\.$/],
])('a database in trouble (%s) is one sentence, also after retries', (code, text) => {
  for (const error of [coded(code), new DatabaseUnavailableError(coded(code))]) {
    expect(explain(error)).toEqual(expect.stringMatching(text))
  }
})

afterEach(() => vi.unstubAllEnvs())

test('DATABASE_URL is named only where it is set', () => {
  vi.stubEnv('DATABASE_URL', 'postgres://a@b/c')
  expect(explain(coded('ECONNREFUSED'))).toBe('The database of DATABASE_URL cannot be reached: refused.')
})

test('a read-only database that has to be migrated is one sentence', async () => {
  const fresh = await freshDatabase({ migrated: false })
  try {
    const [row] = await fresh.database.run<{ name: string }>({ text: 'select current_database() as name' })
    await fresh.database.run({ text: `alter database ${row?.name} set default_transaction_read_only = on` })
    const error = await migrate(fresh.open(1)).catch((thrown: unknown) => thrown)
    expect(explain(error)).toMatch(/^The database is read-only/)
  } finally {
    await fresh.drop()
  }
})

test('a bug has its stack', () => {
  expect(explain(new TypeError('x is undefined'))).toContain('explain.test.ts')
})
