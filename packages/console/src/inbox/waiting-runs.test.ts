import type { ListedRun } from '@runwright/client'
import { expect, test } from 'vitest'
import { oldestFirst } from './waiting-runs.ts'

const run = (id: string, since: string | null) =>
  ({ id, awaiting_input: since === null ? null : { since } }) as ListedRun

test('what waits longest comes first, whenever the run was created', () => {
  const runs = [
    run('run_new', '2026-11-17T10:01:00.000Z'),
    run('run_answered', null),
    run('run_old', '2026-11-17T10:02:00.000+00:00'),
  ]
  expect(oldestFirst({ runs, next_cursor: null }).map(({ id }) => id)).toEqual(['run_new', 'run_old'])
})
