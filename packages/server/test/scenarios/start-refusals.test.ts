// What a person reads when the service cannot start: one sentence with what to do, before anything is made.
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runwright-refusals-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const start = (env: Record<string, string>) => cli(['start'], { PATH: process.env.PATH ?? '', ...env })

test('a port that is taken is told before a database is made', { timeout: 60_000 }, async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const dataDir = join(folder, 'data')
  const { code, stderr } = await start({ RUNWRIGHT_PORT: String(port), RUNWRIGHT_DATA_DIR: dataDir })
  server.close()
  expect([code, stderr]).toEqual([
    1,
    `Port ${port} on 127.0.0.1 is already in use. Stop the process that uses it, or set RUNWRIGHT_PORT.\n`,
  ])
  expect(existsSync(dataDir)).toBe(false)
})

test.runIf(process.platform === 'linux')('a data folder that cannot be made is one sentence', async () => {
  const { code, stderr } = await start({ RUNWRIGHT_PORT: '0', RUNWRIGHT_DATA_DIR: '/proc/x' })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^[^\n]*\/proc\/x[^\n]*ENOENT[^\n]* Set RUNWRIGHT_DATA_DIR to a folder that this user can write to[^\n]*\n$/,
  )
})

test('each mistake in the file of prices is one sentence, before a database is made', async () => {
  const [prices, dataDir] = [join(folder, 'prices.json'), join(folder, 'priced')]
  writeFileSync(prices, '{ "currency": "EUR", "date": "today", "models": { "m": { "input": "2", "output": 1 } } }')
  const { code, stderr } = await start({
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_DATA_DIR: dataDir,
    RUNWRIGHT_PRICES: prices,
  })
  expect([code, stderr]).toEqual([
    1,
    `RUNWRIGHT_PRICES: in ${prices}, date must be a day, such as 2026-11-01.\n` +
      `RUNWRIGHT_PRICES: in ${prices}, models.m.input must be a number.\n`,
  ])
  expect(existsSync(dataDir)).toBe(false)
})
