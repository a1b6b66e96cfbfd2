import { expect, test } from 'vitest'
import { runSearchOf } from './run-search.ts'

test('the URL chooses the tab, the step, the turn and the event, and filters the events', () => {
  const search = {
    ...{ tab: 'events', seq: '4', type: 'step.done', task: 'task_1', text: 'pear' },
    ...{ step: 'find', attempt: '2', turn: '3', graph: 'yes' },
  }
  expect(runSearchOf(search)).toEqual(search)
})

test('what it cannot choose is left out', () => {
  expect(runSearchOf({ tab: 'none', seq: '0', attempt: 'x', turn: '-1', text: '', type: 7, graph: 'no' })).toEqual({})
})
