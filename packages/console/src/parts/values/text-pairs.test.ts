import { expect, test } from 'vitest'
import { textPairsOf } from './text-pairs.ts'

test.each([
  ['old_text', 'new_text'],
  ['oldText', 'newText'],
  ['before', 'after'],
  ['text_before', 'text_after'],
  ['textOld', 'textNew'],
])('%s and %s are the old and the new text', (oldName, newName) => {
  const value = { path: 'a.txt', [newName]: 'two', [oldName]: 'one' }
  expect(textPairsOf(value)).toEqual([{ oldName, newName, oldText: 'one', newText: 'two' }])
})

test.each([
  { old_text: 'one' },
  { old_text: 'one', new_text: 2 },
  { from: 'a', to: 'b' },
  { older: 'one', newer: 'two' },
  { golden_old: 'one', golden: 'two' },
])('nothing else is: %o', (value) => {
  expect(textPairsOf(value)).toEqual([])
})
