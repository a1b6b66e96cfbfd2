import { expect, test } from 'vitest'
import { ReasoningCollector } from './reasoning-fields.ts'

function collect(...deltas: Record<string, unknown>[]) {
  const collector = new ReasoningCollector()
  for (const delta of deltas) collector.take(delta)
  return collector.fields
}

test('texts are joined under the names that the server used', () => {
  expect(collect({ reasoning_content: 'a' }, { content: 'x' }, { reasoning_content: 'b' })).toEqual({
    reasoning_content: 'ab',
  })
  expect(collect({ reasoning: 'a', reasoning_content: null }, { reasoning: 'b' })).toEqual({ reasoning: 'ab' })
})

test('pieces of a detail are joined, and its last fields win', () => {
  const type = 'reasoning.text'
  const fields = collect(
    { reasoning_details: [{ type, index: 0, format: 'f', text: 'Let me ', signature: null }] },
    { reasoning_details: [{ type, index: 0, text: 'think.' }] },
    { reasoning_details: [{ type, index: 0, signature: 'sig' }] },
    { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'xyz', id: 'rs_1' }] },
  )
  expect(fields).toEqual({
    reasoning_details: [
      { type, index: 0, format: 'f', text: 'Let me think.', signature: 'sig' },
      { type: 'reasoning.encrypted', index: 1, data: 'xyz', id: 'rs_1' },
    ],
  })
})

test('what has another form is ignored', () => {
  expect(collect({ reasoning: { a: 1 }, reasoning_details: 'x' }, { reasoning_details: [1, null, []] })).toBeUndefined()
})

test('more than a reply can have is not kept, and not in part', () => {
  const piece = 'x'.repeat(600_000)
  expect(collect({ reasoning: piece })).toEqual({ reasoning: piece })
  expect(collect({ reasoning: piece }, { reasoning: piece })).toBeUndefined()
})
