// A run with a rubric in the sandbox: the script says how its answers are graded, and what the revised ones are.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const rubric = { criteria: 'Names the price.', max_revisions: 1, include_grade: true }
const resultOf = async (id: string) => (await bench.acme.run(id)).event_payload.value

test('without a scripted grade, every answer passes', async () => {
  const { id, events } = await bench.play(scripted([{ say: 'Done.' }], { input: { rubric } }))
  expect(outline(events).slice(-3)).toEqual(['step.done succeeded', 'judge stop all_done', 'succeeded'])
  expect(await resultOf(id)).toEqual({
    content: 'Done.',
    output: { answer: null, grade: { passed: true, notes: '', revisions: 0 } },
  })
})

test('a scripted grade that does not pass is followed by the scripted revision', async () => {
  const step = { say: 'A lot.', revisions: ['391 euros.'], grades: [{ passes: false, notes: 'How much?' }] }
  const { id, events } = await bench.play(scripted([step], { input: { rubric } }))
  expect(outline(events).slice(-4)).toEqual([
    'judge continue revision_requested',
    'step.done succeeded',
    'judge stop all_done',
    'succeeded',
  ])
  expect(await resultOf(id)).toMatchObject({ content: '391 euros.', output: { grade: { revisions: 1 } } })
  expect(ofType(events, 'run.coordination.decision')[0]?.judge_decision).toEqual({
    decision: 'continue',
    reason: 'How much?',
  })
})

test('an answer that never passes fails the run', async () => {
  const no = { passes: false, notes: 'How much?' }
  const { events } = await bench.play(scripted([{ say: 'A lot.', grades: [no, no] }], { input: { rubric } }))
  expect(outline(events).slice(-3)).toEqual([
    'step.done fail_run',
    'judge stop rubric_not_met',
    'failed rubric_not_met',
  ])
})

test('scripted scores decide by their pass marks', async () => {
  const scores = { properties: { tone: { type: 'integer', minimum: 1, maximum: 5 } } }
  const grades = [{ scores: { tone: 2 } }, { scores: { tone: 4 } }]
  const input = { rubric: { scores, pass: { tone: 4 }, include_grade: true } }
  const { id } = await bench.play(scripted([{ grades }], { input }))
  expect(await resultOf(id)).toMatchObject({ output: { grade: { scores: { tone: 4 }, revisions: 1 } } })
})

test('the script goes on: `then` and later steps count as without a rubric', async () => {
  const { events } = await bench.play(scripted([{ say: 'One.' }, { say: 'Two.' }], { input: { rubric } }))
  expect(ofType(events, 'step.done').map(({ content }) => content)).toEqual(['One.', 'Two.'])
})

test('tools of a step are called once, however often its answer is revised', async () => {
  const tools = [{ name: 'calculator', input: { expression: '1+1' } }]
  const step = { say: '2', tools, grades: [{ passes: false }] }
  const { events } = await bench.play(planned([{ id: 'a', instruction: 'Add' }], [step], { input: { rubric } }))
  expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
  expect(outline(events).at(-1)).toBe('succeeded')
})
