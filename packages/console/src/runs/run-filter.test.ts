import { expect, test } from 'vitest'
import { queryOf, runFilterOf, without } from './run-filter.ts'

test('a filter is taken from the URL', () => {
  const search = {
    status: 'running',
    awaiting_input: 'true',
    period: '24h',
    run_class: 'long',
    q: 'office chairs',
    agent: 'triage',
    workspace_id: 'a/b',
    subject_id: 'ada',
    error: 'provider_error',
  }
  expect(runFilterOf(search)).toEqual(search)
})

test('what is not valid is ignored', () => {
  const search = {
    status: 'dancing',
    awaiting_input: 'maybe',
    period: '3w',
    run_class: 'x',
    workspace_id: ' ',
    page: '2',
  }
  expect(runFilterOf({ ...search, created_after: 'yesterday' })).toEqual({})
})

test('a period becomes the minute it starts at', () => {
  const now = Date.parse('2026-11-17T10:30:45.678Z')
  expect(queryOf({ period: '1h', awaiting_input: 'true', q: 'chairs' }, now)).toEqual({
    created_after: '2026-11-17T09:30:00.000Z',
    awaiting_input: true,
    q: 'chairs',
  })
})

test('a part is taken out of a filter', () => {
  expect(without({ status: 'failed', q: 'chairs', period: '1h' }, 'status', 'q')).toEqual({ period: '1h' })
})
