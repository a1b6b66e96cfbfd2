// What a process costs its database: connections while it is busy, statements while it is idle.
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Caller } from '../support/http.ts'
import { Occurrences } from '../support/occurrences.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let caller: Caller
beforeAll(async () => {
  service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' }, { worker: true })
  caller = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

test('a busy process has at most 14 connections, of which 6 are for lists', async () => {
  const busy = [
    ...Array.from({ length: 40 }, () => caller.create()),
    ...Array.from({ length: 40 }, () => caller.get('/v1/runs')),
    ...Array.from({ length: 40 }, () => caller.get('/v1/runs/run_00000000000000000000000000')),
    ...Array.from({ length: 10 }, () => caller.get('/health/deps')),
  ]
  const replies = await Promise.all(busy)
  expect(replies.filter(({ status }) => status >= 500)).toEqual([])
  const rows = await service.database.run<{ name: string; count: number }>({
    text: `
select application_name as name, count(*) as count
from pg_stat_activity
where datname = current_database() and application_name like 'runwright%' and application_name <> 'runwright test'
group by application_name
order by application_name`,
  })
  const { 'runwright log': log, ...others } = Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  expect(others).toEqual({ runwright: 2, 'runwright reads': 6, 'runwright wake-ups': 1, 'runwright webhooks': 1 })
  // Changes of runs, creates and claims; a second one for claims if a renewal takes long.
  expect([3, 4]).toContain(log)
})

test('an idle process sends about 2 statements a second', async () => {
  // What the test before has left to do.
  await service.database.run({ text: 'delete from usage_deltas; delete from audit_queue' })
  // On a new database all of them are due.
  const rare = [
    'forget sessions',
    'forget answers',
    'forget deliveries',
    'archive memory',
    'trim runs',
    'remove runs',
    'expire usage hours',
  ]
  await service.database.run({
    text: 'insert into job_times select unnest($1::text[]), now() on conflict (job) do update set ended_at = now()',
    values: [rare],
  })
  const sent = new Occurrences<string>()
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { name?: string; text?: string }]
    sent.add(typeof statement === 'string' ? statement : (statement.name ?? statement.text ?? ''))
    return Reflect.apply(query, this, args)
  } as typeof query)
  const sweep = 'find-due-work'
  // The first one finds nothing to do, and the other jobs learn it from the first one.
  await sent.nth(2, (name) => name === sweep)
  const before = sent.all.length
  // One a second.
  await sent.nth(7, (name) => name === sweep)
  spy.mockRestore()
  // On average 2 a second. Statements of every 10 and 15 s may all fall into these five.
  expect(sent.all.length - before, sent.all.join()).toBeLessThanOrEqual(12)
})
