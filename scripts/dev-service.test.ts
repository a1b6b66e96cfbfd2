import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DevService } from './dev-service.mjs'

let folder: string
let service: DevService
let bundles: number
let bundle: () => Promise<void>

/** Each start adds a line, and so does each stop. */
const program = (log: string) => `
import { appendFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(log)}, 'started ' + process.pid + '\\n')
process.on('SIGTERM', () => { appendFileSync(${JSON.stringify(log)}, 'stopped ' + process.pid + '\\n'); process.exit() })
setInterval(() => {}, 1000)
process.send('ready')
process.disconnect()
`

const log = () => join(folder, 'log')
const lines = () => (existsSync(log()) ? readFileSync(log(), 'utf8').trim().split('\n') : [])
const write = (text: string) => writeFileSync(join(folder, 'run.mjs'), text)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-service-'))
  write(program(log()))
  bundles = 0
  bundle = async () => {
    bundles += 1
  }
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
  service = new DevService({ program: join(folder, 'run.mjs'), env: {}, bundle: () => bundle() })
})

afterEach(async () => {
  await service.stop()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

test('a restart ends the process before it starts the next', async () => {
  await service.start()
  await service.restart('a.ts')
  await service.stop()
  const [first, firstStop, second, secondStop, ...more] = lines()
  expect([first, second]).toEqual([expect.stringContaining('started'), expect.stringContaining('started')])
  expect([firstStop, secondStop]).toEqual([first, second].map((line) => line?.replace('started', 'stopped')))
  expect(more).toEqual([])
})

test('changes that come while a restart is due are part of it', async () => {
  await service.start()
  await Promise.all(['a.ts', 'b.ts', 'c.ts'].map((file) => service.restart(file)))
  expect(bundles).toBe(1)
})

test('a change that cannot be built leaves the service as it is, and says why', async () => {
  await service.start()
  bundle = async () => {
    throw new Error('unexpected token')
  }
  await service.restart('a.ts')
  expect(lines()).toHaveLength(1)
  expect(console.error).toHaveBeenCalledWith('a.ts cannot be built: unexpected token')
})

test('a service that cannot start is started again after the next change', async () => {
  write('process.exit(3)')
  expect(await service.start()).toBe(false)
  expect(console.error).toHaveBeenCalledWith('The service ended with code 3. Change a file to try again.')
  write(program(log()))
  await service.restart('a.ts')
  expect(lines()).toHaveLength(1)
})

test('after the stop nothing starts', async () => {
  await service.start()
  const restarted = service.restart('a.ts')
  await service.stop()
  await restarted
  await service.restart('b.ts')
  expect(lines()).toHaveLength(2)
})
