// Processes that start: several at once on an empty database, and those that must not start at all.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Environment, type HostedFleet, type Part, startFleet } from '../support/processes.ts'

const migrations = readdirSync(join(import.meta.dirname, '../../src/store/migrations')).filter((name) =>
  name.endsWith('.sql'),
)
const otherSecret = () => randomBytes(32).toString('base64')
const printedKey = /^ {2}(key_\S+:\S+)$/m

describe.concurrent('several processes that start at once on an empty database', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
  })
  afterAll(() => hosted.close())

  test('set it up once, and print its first key once', { timeout: 120_000 }, async () => {
    const { fleet, database } = hosted
    const noKeys = { RUNWRIGHT_BOOTSTRAP_KEYS: '' }
    const parts: Part[] = ['api', 'start', 'worker', 'api']
    const processes = await Promise.all(parts.map((part) => fleet.start(part, noKeys)))

    const applied = await database.query<{ name: string }>({ text: 'select name from schema_migrations order by name' })
    expect(applied.map(({ name }) => name)).toEqual(migrations)
    expect(await database.query({ text: 'select id from customers' })).toEqual([{ id: 'default' }])
    expect(await database.query({ text: 'select count(*) as keys from api_keys' })).toEqual([{ keys: 1 }])
    expect(processes.filter(({ output }) => printedKey.test(output))).toHaveLength(1)
  })
})

describe.concurrent('a process that does not belong to the database', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
    await (await hosted.fleet.start('worker')).stop()
  })
  afterAll(() => hosted.close())

  /** The one sentence that it ends with. */
  async function refusalOf(part: Part, env: Environment = {}): Promise<string> {
    const process = hosted.fleet.spawn(part, env)
    expect(await process.exited).toEqual({ code: 1, signal: null })
    const sentence = process.output.trim()
    expect(sentence).toMatch(/^[^\n]+\.$/)
    return sentence
  }

  test.each(['start', 'api', 'worker'] as const)('is refused with another pepper: %s', async (part) => {
    expect(await refusalOf(part, { RUNWRIGHT_KEY_PEPPER: otherSecret() })).toMatch(/^RUNWRIGHT_KEY_PEPPER differs/)
  })

  test('is refused with another encryption key', async () => {
    const sentence = await refusalOf('api', { RUNWRIGHT_ENCRYPTION_KEY: otherSecret() })
    expect(sentence).toMatch(/^RUNWRIGHT_ENCRYPTION_KEY differs/)
  })

  test('is welcome with the secrets of the others', { timeout: 30_000 }, async () => {
    const api = await hosted.fleet.start('api')
    expect((await hosted.fleet.caller(api).create()).status).toBe(201)
  })
})

describe.concurrent('a database of a newer Runwright', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
    await (await hosted.fleet.start('worker')).stop()
    const text =
      "insert into schema_migrations (version, name, checksum, oldest) values (999, '999_future.sql', 'x', 999)"
    await hosted.database.run({ text })
  })
  afterAll(() => hosted.close())

  test.each(['start', 'worker'] as const)('is refused in one sentence: %s', async (part) => {
    const process = hosted.fleet.spawn(part)
    expect(await process.exited).toEqual({ code: 1, signal: null })
    expect(process.output.trim()).toMatch(/^[^\n]*schema version 999[^\n]*\.$/)
  })
})
