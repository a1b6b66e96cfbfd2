import { expect, test } from 'vitest'
import { titleOfRun } from './run-title.ts'

const sent = (input: unknown, metadata: unknown = {}) => ({ input, metadata, attachment_refs: [] })
const run = { id: 'run_1' }

test.each([
  ['the title of the service', { ...run, title: 'Stored' }, sent({}, { title: 'Mine' }), 'Stored'],
  ['metadata.title', run, sent({ goal: 'Goal' }, { title: ' Mine ' }), 'Mine'],
  ['the goal of the input', run, sent({ goal: 'Goal' }, { title: '' }), 'Goal'],
  ['the goal of the plan', { ...run, plan: { goal: 'Plan' } }, sent({ task: 'Task' }), 'Plan'],
  ['the first text of the input', run, sent({ n: 1, deep: { list: [2, ' A\n task '] } }), 'A task'],
  ['the id, if nothing else is known', run, null, 'run_1'],
])('%s', (_, of, input, title) => {
  expect(titleOfRun(of, input)).toBe(title)
})

test('a long title is cut at a word', () => {
  const title = titleOfRun(run, sent('word '.repeat(60)))
  expect(title).toMatch(/^(word )+word…$/)
  expect(title.length).toBeLessThanOrEqual(120)
})
