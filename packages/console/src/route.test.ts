import { describe, expect, test } from 'vitest'
import { parseRoute, runHash, runsHash, viewHash } from './route.ts'

test.each(['', '#', '#/', '#/runs', '#/runs/'])('%j shows all runs', (hash) => {
  expect(parseRoute(hash)).toEqual({ view: 'runs', filter: {} })
})

describe('a filter survives its way through the address', () => {
  test.each([
    {},
    { status: 'failed' },
    { awaitingInput: true },
    { status: 'running', awaitingInput: true, workspaceId: 'a/b?c=d&e#f ü' },
  ] as const)('%j', (filter) => {
    expect(parseRoute(runsHash(filter))).toEqual({ view: 'runs', filter })
  })
})

test('a status that does not exist is no filter', () => {
  expect(parseRoute('#/runs?status=dancing&awaiting_input=maybe')).toEqual({ view: 'runs', filter: {} })
})

test('an id survives, whatever it holds', () => {
  expect(parseRoute(runHash('run/1?#%'))).toEqual({ view: 'run', id: 'run/1?#%' })
})

test.each(['create', 'usage', 'system'] as const)('%s has an address', (view) => {
  expect(parseRoute(viewHash(view))).toEqual({ view })
})

test.each(['#/nothing', '#/%', '#/Runs'])('%s is no view', (hash) => {
  expect(parseRoute(hash)).toEqual({ view: 'unknown' })
})
