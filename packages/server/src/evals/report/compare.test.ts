import { expect, test } from 'vitest'
import { compareReports, dropsTooFar } from './compare.ts'
import type { Report } from './report.ts'

const trial = (passed: boolean) => ({ passed, problems: [], run_id: null, status: '', tokens: 0, turns: 0, seconds: 0 })

/** Cases by name: how many of how many trials passed. */
const reportOf = (cases: Readonly<Record<string, readonly [number, number]>>): Report => ({
  version: 1,
  finished_at: '2026-11-16T00:00:00.000Z',
  models: {},
  pass_hat: [],
  cases: Object.entries(cases).map(([name, [passed, trials]]) => ({
    name,
    file: 'a.yaml',
    passed,
    trials: Array.from({ length: trials }, (_, index) => trial(index < passed)),
  })),
})

test('only cases that both reports have decide; others are named', () => {
  const previous = reportOf({ same: [1, 2], fell: [2, 2], rose: [0, 1], gone: [0, 1] })
  const comparison = compareReports(previous, reportOf({ same: [2, 4], fell: [1, 2], rose: [1, 1], fresh: [0, 5] }))
  expect(comparison).toEqual({
    before: 0.5,
    after: 2 / 3,
    drop: 0.5 - 2 / 3,
    worse: [{ name: 'fell', before: 1, after: 0.5 }],
    better: [{ name: 'rose', before: 0, after: 1 }],
    added: ['fresh'],
    removed: ['gone'],
  })
  expect(dropsTooFar(comparison, 0)).toBe(false)
})

test('a drop fails above the allowed one, and not at it', () => {
  const drop = compareReports(reportOf({ a: [10, 10] }), reportOf({ a: [7, 10] }))
  expect([0, 0.2, 0.3, 0.5].map((maxDrop) => dropsTooFar(drop, maxDrop))).toEqual([true, true, false, false])
})

test('reports without a common case cannot be compared', () => {
  expect(() => compareReports(reportOf({ a: [1, 1] }), reportOf({ b: [1, 1] }))).toThrow('no case in common')
})
