// Cases with a world or a judge, played by a scripted model: the examples of docs/evals.md, and what is wrong with
// others.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, type NeutralRequest, type Reply, say } from '../support/providers/script.ts'
import { EvalFolder, runPrinted } from './run-eval.ts'

const docs = join(import.meta.dirname, '../../../../docs/evals.md')
let folder: EvalFolder
let blocks: { readonly words: string; readonly code: string }[]
beforeAll(async () => {
  folder = await EvalFolder.create()
  const text = await readFile(docs, 'utf8')
  blocks = [...text.matchAll(/```(?:js|yaml)([^\n]*)\n([\s\S]*?)```/g)].map(([, words = '', code = '']) => ({
    words,
    code,
  }))
  await folder.write(blockWith('evals/world.mjs'), 'world.mjs')
})
afterAll(() => folder.remove())

/** The block that has this in its first line or in its text. */
const blockWith = (part: string): string =>
  blocks.find(({ words, code }) => words.includes(part) || code.includes(part))?.code ?? ''

const isJudge = ({ system }: NeutralRequest) => system.startsWith('You judge the work')
const isGrader = ({ system }: NeutralRequest) => system.startsWith('You grade the answer')
const content = say([JSON.stringify({ decision: 'stop', reason: 'done' })])

/** Evaluates a case with a worker that answers so; `grade` answers for checks that a model judges. */
async function evaluate(
  text: string,
  worker: (request: NeutralRequest) => Reply,
  grade = say('{"passed": true}'),
  more: Readonly<Record<string, string>> = {},
) {
  const provider = await startMockProvider('openai-chat', (request) =>
    isGrader(request) ? grade : isJudge(request) ? content : worker(request),
  )
  const env = {
    RUNWRIGHT_MODEL: 'openai-compatible/scripted',
    OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_API_KEY: 'sk-test',
    ...more,
  }
  try {
    const { report } = await folder.evaluate([await folder.write(text)], {}, { env })
    expect(provider.refusals).toEqual([])
    return { problems: report.cases.flatMap(({ trials }) => trials.flatMap(({ problems }) => problems)), provider }
  } finally {
    await provider.close()
  }
}

const hasResult = ({ messages }: NeutralRequest) => messages.some(({ toolResults }) => toolResults.length > 0)
const callThenSay = (name: string, args: object, answer: string) => (request: NeutralRequest) =>
  hasResult(request) ? say(answer) : callTools([{ name, args }])

test('the first case of the docs passes', async () => {
  const worker = callThenSay('calculator', { expression: '12 * 95.5' }, 'It is 1146.')
  expect((await evaluate(blockWith('name: sum'), worker)).problems).toEqual([])
})

test('the world of the docs: an agent that cancels passes, one that only says so fails', async () => {
  const text = blockWith('name: cancels')
  const cancels = await evaluate(text, callThenSay('cancel_order', { id: '1' }, 'Cancelled.'))
  expect(cancels.problems).toEqual([])
  expect((await evaluate(text, () => say('Cancelled.'))).problems).toEqual([
    'state_after: /orders/1/status is "pending", expected "cancelled"',
  ])
})

test('the state can be checked at pointers, and a tool that throws tells the model why', async () => {
  const text = `
name: pointers
world: world.mjs
input: { request: Cancel order 2 }
checks:
  - state: { /orders/1/status: cancelled }
  - called: { name: cancel_order, outcome: failed }
`
  const { problems, provider } = await evaluate(text, callThenSay('cancel_order', { id: '2' }, 'There is none.'))
  expect(problems).toEqual(['state: /orders/1/status is "pending", expected "cancelled"'])
  expect(JSON.stringify(provider.requests[1]?.messages)).toContain('The order 2 is not pending.')
})

test('a model judges the answer by the rubric', async () => {
  const text = 'name: judged\ninput: { text: Hello }\nchecks: [{ judged: { rubric: The answer greets the user. } }]'
  expect((await evaluate(text, () => say('Hi!'))).problems).toEqual([])
  const failed = await evaluate(text, () => say('Go away.'), say('{"passed": false, "reason": "It is rude."}'))
  expect(failed.problems).toEqual(['judged: the judge says: It is rude.'])
  const asked = failed.provider.requests.find(isGrader)
  expect(asked?.messages[0]?.text).toContain('Go away.')
  expect(asked?.messages[0]?.text).toContain('The answer greets the user.')
})

test('a case may name its model, and cases without a world do not see the tools of one', async () => {
  const text = `
cases:
  - { name: plain, input: { text: Hello }, model: openai-compatible/other }
  - { name: inside, input: { text: Hello }, world: world.mjs }
`
  const { problems, provider } = await evaluate(text, () => say('Hi!'))
  expect(problems).toEqual([])
  const ofWorkers = provider.requests.filter((request) => !isJudge(request))
  const seen = ofWorkers.map(({ model, tools }) => [model, tools.some(({ name }) => name === 'cancel_order')])
  expect(seen).toEqual([
    ['other', false],
    ['scripted', true],
  ])
})

test('the verdicts of judges are recorded and given again, for the same answer and rubric', async () => {
  const cassettes = join(folder.path, 'cassettes')
  const text = (rubric: string) => `name: judged\ninput: { text: Hello }\nchecks: [{ judged: { rubric: ${rubric} } }]`
  const rude = say('{"passed": false, "reason": "It is rude."}')
  const recorded = await evaluate(text('It greets.'), () => say('Go away.'), rude, { RUNWRIGHT_RECORD: cassettes })
  expect(recorded.problems).toEqual(['judged: the judge says: It is rude.'])
  const replayed = await evaluate(text('It greets.'), () => say('Hi!'), undefined, { RUNWRIGHT_REPLAY: cassettes })
  expect(replayed.problems).toEqual(['judged: the judge says: It is rude.'])
  expect(replayed.provider.requests).toEqual([])
  const other = await evaluate(text('It is short.'), () => say('Hi!'), undefined, { RUNWRIGHT_REPLAY: cassettes })
  expect(other.problems).toEqual([expect.stringMatching(/^judged: no verdict on this answer was recorded/)])
})

test.each([
  ['a reference action that fails', '[{ name: cancel_order, with: { id: "9" } }]', 'The order 9 is not pending.'],
  ['a reference action without a tool', '[{ name: no_such_tool }]', 'Unknown tool: "no_such_tool".'],
])('%s stops the evaluation', async (_, actions, why) => {
  const file = await folder.write(`name: a\nworld: world.mjs\ninput: {}\nchecks: [{ state_after: ${actions} }]`)
  const { code, err } = await runPrinted([file])
  expect(err).toContain(`of state_after failed: ${why}`)
  expect(code).toBe(2)
})

test.each([
  ['no-create', 'export default {}', 'the default export must be { create() }.'],
  ['no-state', 'export default { create: () => ({ tools: [] }) }', 'world.state is required.'],
  ['unknown', 'export default { create: () => ({ tools: [], state: {}, extra: 1 }) }', 'extra'],
  ['throws', 'export default { create() { throw new Error("no data") } }', 'create() failed: no data'],
  [
    'built-in',
    `export default { create: () => ({ state: {}, tools: [{ name: 'wait', description: 'x', input: { type: 'object' },
      effect: 'read', run: () => 1 }] }) }`,
    'the name wait belongs to a built-in tool; choose another one.',
  ],
])('a world that is wrong is refused: %s', async (name, source, why) => {
  await folder.write(source, `${name}.mjs`)
  const { code, err } = await runPrinted([await folder.write(`name: a\nworld: ${name}.mjs\ninput: {}`)])
  expect(err).toContain(`${name}.mjs: `)
  expect(err).toContain(why)
  expect(code).toBe(2)
})
