// The largest and most awkward bodies that a create accepts.

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The same texts in every test run. */
function texts(count: number, length: number, alphabet = letters): string[] {
  let state = 7
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
  }
  return Array.from({ length: count }, () => Array.from({ length }, next).join(''))
}

const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))
const base64 = (text: string) => Buffer.from(text).toString('base64')
const tagged = (input: Record<string, unknown>, plan?: object) => ({
  input,
  metadata: {},
  sensitivity_tags: [{ path: '$.input.a', classification: 'pii' }],
  ...(plan && { plan }),
})
const plain = (input: Record<string, unknown>, plan?: object) => ({ input, metadata: {}, ...(plan && { plan }) })
const agentSteps = (instruction: string) => ({
  steps: list(200, (n) => ({ id: `s${n}`, instruction, depends_on: [] })),
})
const toolSteps = (input: object) => ({
  steps: list(20, (n) => ({ id: `s${n}`, tool: 'calculator', input: { expression: '1', ...input }, depends_on: [] })),
})

export const worstBodies: Readonly<Record<string, object>> = {
  'a long text': plain({ a: 'x'.repeat(262_000) }),
  'many numbers': plain({ a: list(130_000, () => 1) }),
  'many keys': plain(Object.fromEntries(list(24_000, (n) => [`k${n}`, 1]))),
  'deep arrays': plain({ a: list(2_000, () => JSON.parse('['.repeat(60) + ']'.repeat(60))) }),
  'one tagged text with every escape': tagged({ a: '😀"/é '.repeat(14_000) }),
  'a thousand tagged texts': tagged({ a: texts(1_000, 250) }),
  'tagged texts with many encodings': tagged({ a: texts(120, 1_200, 'abc "/é\'(') }),
  'tagged texts, and their base64 many times': tagged({
    a: texts(900, 8),
    b: texts(900, 8).map(base64).join(' ').repeat(19),
  }),
  'tagged texts, repeated one by one': tagged({ a: texts(900, 8), b: list(20, () => texts(900, 8)).flat() }),
  'tagged texts that share their beginning': tagged({
    a: list(300, (n) => `${'a'.repeat(n + 4)}c`),
    b: list(400, () => 'a'.repeat(399)),
  }),
  'keys that contain a tagged text': tagged({
    a: ['abcdabcd'],
    b: Object.fromEntries(list(13_000, (n) => [`k${n}abcdabcd`, 1])),
  }),
  'tagged numbers, deep inside': tagged({
    a: JSON.parse(`${'['.repeat(60)}${list(120_000, () => 1)}${']'.repeat(60)}`),
  }),
  'tagged booleans': tagged({ a: list(50_000, () => true) }),
  'many short texts beside a tagged one': tagged({ a: 'abcdef', b: list(25_000, (n) => `x${n}`) }),
  'a plan in which each step depends on all before it': plain(
    {},
    {
      steps: list(180, (n) => ({
        id: `s${n}`,
        instruction: ['Go on', ...list(n, (before) => `{{steps.s${before}.output.a}}`)].join(' '),
        depends_on: list(n, (before) => `s${before}`),
      })),
    },
  ),
  'a plan of templates': plain({}, agentSteps('{{input.a}}'.repeat(230))),
  'a plan of deep templates': plain({}, agentSteps(`{{input.${'a.'.repeat(400)}a}}`.repeat(3))),
  'a plan of numbers': plain({}, toolSteps({ x: list(13_000, () => 1) })),
  'a plan of arrays': plain({}, toolSteps({ x: list(8_400, () => []) })),
  'a plan of keys': plain({}, toolSteps(Object.fromEntries(list(2_400, (n) => [`k${n}`, 1])))),
  'a plan of text, and tagged texts': tagged({ a: texts(900, 8) }, agentSteps(texts(1, 2_400).join(''))),
  'a plan of texts, and tagged texts': tagged({ a: texts(900, 8) }, toolSteps({ x: list(3_300, () => 'abcd') })),
}
