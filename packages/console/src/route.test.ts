import { describe, expect, test } from 'vitest'
import { parseRoute, runHash, runsHash, viewHash } from './route.ts'

test.each(['', '#', '#/', '#/runs', '#/runs/'])('%j shows all runs', (hash) => {
  expect(parseRoute(hash)).toEqual({ view: 'runs', filter: {} })
})

describe('a filter survives a round trip through the URL', () => {
  test.each([
    {},
    { status: 'failed' },
    { awaitingInput: true },
    { status: 'running', awaitingInput: true, workspaceId: 'a/b?c=d&e#f ü' },
  ] as const)('%j', (filter) => {
    expect(parseRoute(runsHash(filter))).toEqual({ view: 'runs', filter })
  })
})

test('a status that does not exist is ignored', () => {
  expect(parseRoute('#/runs?status=dancing&awaiting_input=maybe')).toEqual({ view: 'runs', filter: {} })
})

test('any id survives a round trip', () => {
  expect(parseRoute(runHash('run/1?#%'))).toEqual({ view: 'run', id: 'run/1?#%' })
})

test.each(['create', 'usage', 'system'] as const)('%s has a URL', (view) => {
  expect(parseRoute(viewHash(view))).toEqual({ view })
})

test.each(['#/nothing', '#/%', '#/Runs'])('%s is not a view', (hash) => {
  expect(parseRoute(hash)).toEqual({ view: 'unknown' })
})
