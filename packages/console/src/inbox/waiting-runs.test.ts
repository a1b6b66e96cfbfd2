import type { ListedRun } from '@runwright/client'
import { expect, test, vi } from 'vitest'
import { oldestFirst, readWaiting } from './waiting-runs.ts'

const run = (id: string, since: string | null) =>
  ({ id, awaiting_input: since === null ? null : { since } }) as ListedRun

test('what waits longest comes first, whenever the run was created', () => {
  const runs = [
    run('run_new', '2026-11-17T10:01:00.000Z'),
    run('run_answered', null),
    run('run_old', '2026-11-17T10:02:00.000+00:00'),
  ]
  expect(oldestFirst(runs).map(({ id }) => id)).toEqual(['run_new', 'run_old'])
})

test('all pages are read, up to a limit', async () => {
  const list = vi.fn(async ({ cursor = '0' }: { cursor?: string | undefined } = {}) => ({
    runs: [run(`run_${cursor}`, null)],
    next_cursor: cursor === '4' ? null : String(Number(cursor) + 1),
    request_id: 'req_1',
  }))
  const idsOf = ({ runs, next_cursor }: Awaited<ReturnType<typeof readWaiting>>) => [
    runs.map(({ id }) => id),
    next_cursor,
  ]
  expect(idsOf(await readWaiting({ runs: { list } }, '2'))).toEqual([['run_2', 'run_3', 'run_4'], null])
  expect(idsOf(await readWaiting({ runs: { list } }, null, { pages: 2 }))).toEqual([['run_0', 'run_1'], '2'])
})
