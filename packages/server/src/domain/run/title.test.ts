import { expect, test } from 'vitest'
import { maxTitleLength, titleOf } from './title.ts'

const title = (input: unknown, metadata: unknown = {}, planGoal?: string) => titleOf({ input, metadata, planGoal })

test('the title of the metadata comes first, then the goals, then the first text of the input', () => {
  const input = { note: 'A note', goal: 'A goal' }
  expect(title(input, { title: 'A title' }, 'A plan')).toBe('A title')
  expect(title(input, {}, 'A plan')).toBe('A goal')
  expect(title({ note: 'A note' }, {}, 'A plan')).toBe('A plan')
  expect(title({ n: 4711, list: [true, { note: 'A note' }], other: 'Another' })).toBe('A note')
})

test.each([
  ['no text', { n: 1, list: [null, false] }, {}],
  ['an empty input', {}, {}],
  ['blank texts', { goal: ' \n', note: '\u0000\u0007' }, { title: '\t' }],
  ['an input and metadata that are tagged as a whole', '***', '***'],
  ['masked values only', { goal: '***' }, { title: ' *** ' }],
  [
    'only a sandbox script and a schema',
    { sandbox: { steps: [{ say: 'Hello' }] }, output_schema: { type: 'object' }, rubric: 'Be brief.' },
    {},
  ],
])('%s gives none', (_, input, metadata) => {
  expect(title(input, metadata)).toBeNull()
})

test('a title that is not text is ignored', () => {
  for (const value of [7, null, ['x'], { a: 'x' }]) expect(title({ goal: 'A goal' }, { title: value })).toBe('A goal')
})

test('white space and control characters become one space', () => {
  expect(title({}, { title: '  Compare\r\n\ttwo\u0000 offers\u001b[2J ' })).toBe('Compare two offers [2J')
})

test('a long title ends with a whole word and an ellipsis', () => {
  const words = 'Compare the offers '.repeat(20)
  const cut = title({ goal: words }) ?? ''
  expect(cut).toMatch(/^(Compare the offers )+(Compare|Compare the|Compare the offers)…$/)
  expect(cut.length).toBeLessThanOrEqual(maxTitleLength)
  expect(cut.length).toBeGreaterThan(maxTitleLength - 12)
  expect(title({ goal: 'x'.repeat(maxTitleLength) })).toBe('x'.repeat(maxTitleLength))
})

test('a word that begins in the first half and does not end is cut inside, so that most of the line is used', () => {
  const cut = title({ goal: `${'a'.repeat(50)} ${'b'.repeat(200)}` }) ?? ''
  expect(cut).toMatch(/^a{50} b{68}…$/)
})

test('a word that is too long is cut between characters', () => {
  expect(title({ goal: '😀'.repeat(500) })).toBe(`${'😀'.repeat(maxTitleLength - 1)}…`)
})

test('a large input is not searched to its end', () => {
  const numbers = Array.from({ length: 2_000 }, (_, n) => n)
  expect(titleOf({ input: { numbers, note: 'late' }, metadata: {} })).toBe('late')
  expect(titleOf({ input: { numbers: [numbers, 'never reached'] }, metadata: {} })).toBeNull()
})
