import { describe, expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import { parseCaseFile } from './case-file.ts'
import { readFileCases } from './read-cases.ts'

const read = async (text: string) => readFileCases(parseCaseFile('evals/a.yaml', text), testSchemas.runs)

test('a file is one case, with defaults for what it leaves out', async () => {
  expect(await read('name: one\ninput: { question: "What?" }\nworld: ./world.mjs')).toEqual([
    {
      name: 'one',
      input: { question: 'What?' },
      file: 'evals/a.yaml',
      world: expect.stringMatching(/[/\\]evals[/\\]world\.mjs$/),
      trials: 1,
      answers: [],
      limits: {},
      checks: [],
    },
  ])
})

test('or a list of cases whose fields replace the shared defaults', async () => {
  const cases = await read(`
defaults: { input: { a: 1 }, trials: 3, checks: [{ contains: x }] }
cases:
  - name: inherits
  - { name: replaces, trials: 2, checks: [] }
`)
  expect(cases.map(({ name, trials, checks, input }) => [name, trials, checks.length, input])).toEqual([
    ['inherits', 3, 1, { a: 1 }],
    ['replaces', 2, 0, { a: 1 }],
  ])
})

describe('an error names the file, the line and the field', () => {
  const start = 'name: a\ninput: {}\n'
  test.each([
    ['not YAML', 'name: [a', /^evals\/a\.yaml:\d: /],
    ['a field twice', `${start}name: b`, /^evals\/a\.yaml:3: the key "name" is used twice\.$/],
    ['an unknown field', `${start}trails: 3`, /^evals\/a\.yaml:3: trails is not a known field; did you mean trials\?$/],
    [
      'an unknown check',
      `${start}checks:\n  - contains: x\n  - mathces: x`,
      /^evals\/a\.yaml:5: checks\[1\]\.mathces is not a known field; did you mean matches\?$/,
    ],
    [
      'an unknown field of a call',
      `${start}checks:\n  - called:\n      name: x\n      whith: {}`,
      /^evals\/a\.yaml:6: checks\[0\]\.called\.whith is not a known field; did you mean with\?$/,
    ],
    [
      'two checks in one',
      `${start}checks: [{ contains: x, equals: y }]`,
      /:3: checks\[0\] must have exactly one of status, /,
    ],
    ['an empty check', `${start}checks: [{}]`, /:3: checks\[0\] must have exactly one of /],
    ['a wrong type', `${start}trials: many`, /:3: trials must be a number\.$/],
    ['a bad pattern', `${start}checks: [{ matches: "(" }]`, /:3: checks\[0\]\.matches must be a regular expression/],
    ['a pattern that RE2 lacks', `${start}checks: [{ matches: "(a)\\\\1" }]`, /matches must be a regular expression/],
    ['a pattern that is too large', `${start}checks: [{ matches: "(a{500}){500}" }]`, /matches must be .*too large/],
    ['a bad schema', `${start}checks: [{ schema: { type: objekt } }]`, /:3: checks\[0\]\.schema cannot be used/],
    ['a bad pointer', `${start}checks: [{ state: { orders: 1 } }]`, /:3: checks\[0\]\.state/],
    [
      'a state without a world',
      `${start}checks: [{ state_after: [] }]`,
      /:3: a check of the state needs the field world\.$/,
    ],
    [
      'a missing name in a list',
      'cases:\n  - name: a\n    input: {}\n  - input: {}',
      /:4: cases\[1\]\.name is required\.$/,
    ],
    [
      'a bad default',
      'defaults: { trials: 0 }\ncases: [{ name: a, input: {} }]',
      /:1: defaults\.trials must be at least 1\.$/,
    ],
    ['an empty list', 'cases: []', /:1: cases must have at least 1 item\.$/],
    ['no case at all', '', /:1: the file must be an object/],
    ['input that is not JSON', 'name: a\ninput: { x: .inf }', /:2: \.inf is not a number of JSON/],
  ])('%s', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message)
  })
})

test('aliases work, and a bomb of them is refused', async () => {
  const text = 'cases:\n  - { name: a, input: &input { x: 1 } }\n  - { name: b, input: *input }'
  expect((await read(text)).map(({ input }) => input)).toEqual([{ x: 1 }, { x: 1 }])
  const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(',')}]`)
  await expect(read(`l0: &l0 [x]\n${levels.join('\n')}`)).rejects.toThrow('too many aliases')
})
