import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FakeCheckout, SetupProcess } from './fake-checkout.ts'
import { finish, makeFakeCheckout } from './fake-checkout.ts'

const lock = 'packages/server/dist/.setup-lock'
let checkout: FakeCheckout

beforeEach(() => {
  checkout = makeFakeCheckout()
})

afterEach(() => rmSync(dirname(checkout.root), { recursive: true, force: true }))

async function waitUntilItSays(child: SetupProcess, words: string): Promise<void> {
  for (let said = ''; !said.includes(words); ) said += (await once(child.stderr, 'data'))[0]
}

function isRunning(pid: number): boolean {
  return (
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout.trim()
      .replace(/^Z.*/, '') !== ''
  )
}

test('of several processes that start at once, one does the setup and the others wait', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => checkout.setUp()))
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect([checkout.callsOf('npm').length, checkout.callsOf('tsc').length]).toEqual([1, 3])
})

test('a process waits for a lock of a live process', async () => {
  checkout.write(lock, `${process.pid}@${hostname()}`)
  const child = checkout.start()
  await waitUntilItSays(
    child,
    `Waiting for another process (${process.pid}@${hostname()}) that is setting up this checkout`,
  )
  expect(checkout.callsOf('npm')).toEqual([])
  checkout.remove(lock)
  expect(await finish(child)).toMatchObject({ code: 0 })
})

test('a lock of a dead process is taken over by exactly one process', async () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  checkout.write(lock, `${dead}@${hostname()}`)
  const results = await Promise.all(Array.from({ length: 4 }, () => checkout.setUp()))
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(checkout.callsOf('npm')).toHaveLength(1)
})

test('a lock that was not touched for a long time is taken over even if its process id is in use again', async () => {
  checkout.write(lock, `${process.pid}@${hostname()}`)
  const aMinuteAgo = new Date(Date.now() - 60_000)
  utimesSync(join(checkout.root, lock), aMinuteAgo, aMinuteAgo)
  expect(await checkout.setUp()).toMatchObject({ code: 0 })
})

test('an interrupted installation leaves neither a lock nor a program behind', async () => {
  checkout.write('slow-network', '')
  const child = checkout.start()
  await waitUntilItSays(child, 'Installing packages')
  await expect
    .poll(() => checkout.has('npm.pid') && readFileSync(join(checkout.root, 'npm.pid'), 'utf8'))
    .toMatch(/\d+/)
  child.kill('SIGTERM')
  expect(await finish(child)).toMatchObject({ code: 143 })
  expect(checkout.has(lock)).toBe(false)
  const npm = Number(readFileSync(join(checkout.root, 'npm.pid'), 'utf8'))
  await expect.poll(() => isRunning(npm)).toBe(false)
})
