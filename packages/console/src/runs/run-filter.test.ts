import { expect, test } from 'vitest'
import { runFilterOf } from './run-filter.ts'

test('a filter is taken from the URL', () => {
  const search = { status: 'running', awaiting_input: 'true', workspace_id: 'a/b' }
  expect(runFilterOf(search)).toEqual(search)
})

test('a status that does not exist is ignored', () => {
  expect(runFilterOf({ status: 'dancing', awaiting_input: 'maybe', workspace_id: '' })).toEqual({})
})
