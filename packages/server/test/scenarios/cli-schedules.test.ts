// `runwright schedules …` against a service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScheduleResult } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOf, Terminal } from '../support/cli.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
const folder = mkdtempSync(join(tmpdir(), 'runwright-schedules-'))
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

async function schedules(...args: string[]): Promise<string> {
  const terminal = new Terminal(environmentOf(service), { isTTY: false })
  await terminal.run('schedules', ...args)
  return terminal.output
}

test('a schedule is created, listed, shown, paused, resumed and deleted', async () => {
  expect(await schedules('list')).toBe('There are no schedules.\n')
  const created = await schedules(
    ...['create', '0 9 1 1 *', 'Count the stock', '--name', 'Stock'],
    ...['--time-zone', 'Asia/Tokyo', '--catch-up', 'latest'],
  )
  const [, id = ''] = /^(sched_\w+) +0 9 1 1 \* +Asia\/Tokyo +\d{4}-01-01T00:00:00\.000Z .* Stock$/m.exec(created) ?? []
  expect(await schedules('list')).toBe(created)
  expect(JSON.parse(await schedules('get', id))).toMatchObject({
    id,
    catch_up: 'latest',
    run: { input: { goal: 'Count the stock' }, metadata: {} },
  })
  expect(await schedules('pause', id)).toBe(`Paused ${id}.\n`)
  expect(await schedules('list')).toMatch(new RegExp(`^${id} .* paused `, 'm'))
  expect(await schedules('resume', id)).toMatch(
    new RegExp(`^Resumed ${id}\\. Its next run is at \\d{4}-01-01T00:00:00\\.000Z\\.\n$`),
  )
  expect(await schedules('delete', id)).toBe(`Deleted ${id}.\n`)
  await expect(schedules('get', id)).rejects.toThrow('No schedule has this id.')
})

test('the body of the runs comes from a file', async () => {
  const file = join(folder, 'run.json')
  writeFileSync(file, '{"input":{"n":1},"metadata":{},"run_class":"long"}')
  const { schedule } = JSON.parse(await schedules('create', '0 9 * * *', '--run', file, '--json')) as ScheduleResult
  expect(schedule.run).toEqual({ input: { n: 1 }, metadata: {}, run_class: 'long' })
})

test('a goal or a file is needed, and mistakes are named', async () => {
  await expect(schedules('create', '0 9 * * *')).rejects.toThrow('with a goal, or with --run <file>, not both')
  await expect(schedules('create', '0 9 * *', 'Work')).rejects.toThrow('cron: must have five fields')
})
