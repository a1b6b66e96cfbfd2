import { expect, test } from 'vitest'
import { keepOwnTemplates } from './template.ts'

test('keepOwnTemplates removes what the run has learned, and keeps what the client sent', () => {
  const value = {
    a: 'Pay {{input.sum}} as {{steps.one.output.name}} says',
    b: ['{{signal.payload}}', '{{metadata.x}}', '{{secret:$.input.pin}}', '{{unknown}}', 7],
  }
  expect(keepOwnTemplates(value, new Set(['one']))).toEqual({
    a: 'Pay {{input.sum}} as  says',
    b: ['', '{{metadata.x}}', '{{secret:$.input.pin}}', '{{unknown}}', 7],
  })
})
