import type { ListedRun } from '@runwright/client'
import { expect, test } from 'vitest'
import type { RunPage } from './live-runs.ts'
import { joinRuns, pushedOff } from './older-runs.ts'

const run = (minute: number, id = `run_${minute}`) =>
  ({ id, metadata: { created_at: `2026-11-17T10:0${minute}:00.000Z` } }) as ListedRun

const page = (runs: readonly ListedRun[], next_cursor: string | null = 'more'): RunPage => ({ runs, next_cursor })

test('a run that newer ones push off the page is kept', () => {
  expect(pushedOff(page([run(3), run(2)]), page([run(4), run(3)]))).toEqual([run(2)])
})

test('a run that no longer matches is not kept: an older one took its place', () => {
  expect(pushedOff(page([run(3), run(2)]), page([run(3), run(1)]))).toEqual([])
})

test('nothing is pushed off a page that is not full', () => {
  expect(pushedOff(page([run(3), run(2)], null), page([run(3)], null))).toEqual([])
})

test('runs of the same instant are told apart by their ids', () => {
  const [a, b, c] = [run(1, 'run_a'), run(1, 'run_b'), run(1, 'run_c')] as const
  expect(pushedOff(page([b, a]), page([c, b]))).toEqual([a])
})

test('a run on the live page is not listed again among the older ones', () => {
  expect(joinRuns([run(3), run(2)], [run(2), run(1)])).toEqual([run(3), run(2), run(1)])
})
