// Templates of a plan: what a tool is called with shows what they were filled in with.
import type { Event, PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench } from '../support/engine.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

/** Called with anything but an expression the calculator fails, and the summary shows what it was called with. */
const probe = (input: object, more: object = {}): PlanStep => ({
  id: 'probe',
  tool: 'calculator',
  input: { probe: input },
  max_attempts: 1,
  ...more,
})

const filledIn = (events: Event[]): unknown => {
  const summary = ofType(events, 'run.tool.invoked').at(-1)?.tool_input_summary as { preview: string }
  return JSON.parse(summary.preview).probe
}

const input = {
  text: 'words',
  empty: '',
  number: 1.5,
  zero: 0,
  yes: true,
  nothing: null,
  list: [1, 'x', null],
  object: { deep: { er: [10, { a: 'b' }] } },
}

describe('a string that is one template keeps the type of', () => {
  test.each([
    ['text', '{{input.text}}', 'words'],
    ['empty text', '{{input.empty}}', ''],
    ['a number', '{{input.number}}', 1.5],
    ['zero', '{{input.zero}}', 0],
    ['a boolean', '{{input.yes}}', true],
    ['null, which is a value', '{{input.nothing}}', null],
    ['a list', '{{input.list}}', [1, 'x', null]],
    ['an object', '{{input.object}}', { deep: { er: [10, { a: 'b' }] } }],
    ['something deep', '{{input.object.deep.er.1.a}}', 'b'],
    ['metadata', '{{metadata.order.id}}', 7],
  ])('%s', async (_case, template, value) => {
    const plan = [probe({ value: template })]
    const { events } = await bench.play(planned(plan, [], { input, metadata: { order: { id: 7 } } }))
    expect(filledIn(events)).toEqual({ value })
  })
})

describe('a template within a text', () => {
  test.each([
    ['text', 'say {{input.text}}!', 'say words!'],
    ['a number', '{{input.number}} * 2', '1.5 * 2'],
    ['null', '<{{input.nothing}}>', '<null>'],
    ['a list', 'list: {{input.list}}', 'list: [1,"x",null]'],
    ['two of them', '{{input.text}}{{input.zero}}', 'words0'],
  ])('becomes text: %s', async (_case, template, value) => {
    const { events } = await bench.play(planned([probe({ value: template })], [], { input }))
    expect(filledIn(events)).toEqual({ value })
  })

  test('is found in lists and objects; keys stay as they are', async () => {
    const nested = { list: ['{{input.number}}', { deep: 'x{{input.zero}}' }], '{{input.text}}': 1 }
    const { events } = await bench.play(planned([probe(nested)], [], { input }))
    expect(filledIn(events)).toEqual({ list: [1.5, { deep: 'x0' }], '{{input.text}}': 1 })
  })

  test('is not searched for templates again', async () => {
    const { events } = await bench.play(
      planned([probe({ value: '{{input.trick}}' })], [], { input: { trick: '{{input.x}}' } }),
    )
    expect(filledIn(events)).toEqual({ value: '{{input.x}}' })
  })
})

describe('what came before', () => {
  const said = [{ say: 'I say', output: { price: 12.5, tags: ['a'], none: null } }]

  test.each([
    ['the content of an agent step', '{{steps.first.content}}', 'I say'],
    ['its output', '{{steps.first.output}}', { price: 12.5, tags: ['a'], none: null }],
    ['a part of its output', '{{steps.first.output.price}}', 12.5],
    ['a null in its output', '{{steps.first.output.none}}', null],
  ])('%s', async (_case, template, value) => {
    const plan = [{ id: 'first', instruction: 'x' }, probe({ value: template })]
    expect(filledIn((await bench.play(planned(plan, said))).events)).toEqual({ value })
  })

  test.each([
    ['the content of a tool step is its output as JSON text', '{{steps.first.content}}', '{"result":6}'],
    ['its output is what it gave back', '{{steps.first.output.result}}', 6],
  ])('%s', async (_case, template, value) => {
    const plan = [{ id: 'first', tool: 'calculator', input: { expression: '2*3' } }, probe({ value: template })]
    expect(filledIn((await bench.play(planned(plan))).events)).toEqual({ value })
  })

  test('feeds a calculation, as the example of the plan does', async () => {
    const plan = [
      { id: 'research', instruction: 'x' },
      { id: 'total', tool: 'calculator', input: { expression: '{{steps.research.output.price}} * 2' } },
    ]
    const { id } = await bench.play(planned(plan, said))
    expect((await bench.acme.run(id)).event_payload.value).toMatchObject({ output: { result: 25 } })
  })

  test('is there through others, not only directly', async () => {
    const plan = [
      { id: 'first', instruction: 'x' },
      { id: 'between', tool: 'current_time' },
      probe({ value: '{{steps.first.content}}' }),
    ]
    expect(filledIn((await bench.play(planned(plan, said))).events)).toEqual({ value: 'I say' })
  })
})

describe('a signal', () => {
  const answered = async (plan: PlanStep[], payload?: unknown) => {
    const id = await bench.create(planned(plan))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', payload === undefined ? {} : { payload })
    return bench.ended(id)
  }
  const gate = { id: 'gate', await_input: {} }

  test.each([
    ['an object', { a: { b: 2 } }],
    ['text', 'words'],
    ['zero', 0],
    ['null', null],
    ['nothing, which is null', undefined],
  ])('is the output of its gate: %s', async (_case, payload) => {
    const events = await answered([gate, probe({ value: '{{steps.gate.output}}' })], payload)
    expect(filledIn(events)).toEqual({ value: payload ?? null })
  })

  test('is {{signal.payload}} too, whole and in parts', async () => {
    const both = probe({ all: '{{signal.payload}}', part: '{{signal.payload.a.b}}' })
    const events = await answered([gate, both], { a: { b: 2 } })
    expect(filledIn(events)).toEqual({ all: { a: { b: 2 } }, part: 2 })
  })
})

describe('a template without a value fails the run with template_unresolved', () => {
  const unresolved = ['step.done fail_run', 'judge stop step_failed', 'failed template_unresolved']

  test.each([
    ['in the input of a tool', [{ id: 'p', tool: 'calculator', input: { expression: '{{input.missing}}' } }]],
    ['in an instruction', [{ id: 'p', instruction: 'Do {{input.missing}}.' }]],
    ['deep inside', [{ id: 'p', instruction: '{{input.object.missing.er}}' }]],
    ['inside text', [{ id: 'p', instruction: '{{input.text.length}}' }]],
    ['past the end of a list', [{ id: 'p', instruction: '{{input.list.3}}' }]],
    ['from a prototype', [{ id: 'p', instruction: '{{input.object.constructor}}' }]],
    ['of a signal before any signal', [{ id: 'p', instruction: '{{signal.payload}}' }]],
    ['inside null', [{ id: 'p', instruction: '{{input.nothing.x}}' }]],
  ])('%s', async (_case, plan) => {
    const { events } = await bench.play(planned(plan, [], { input }))
    expect(outline(events)).toEqual(['created', 'started', ...unresolved])
    expect(ofType(events, 'step.done')).toMatchObject([{ reason_code: 'template_unresolved' }])
  })

  test('in a step that has no output', async () => {
    const plan = [{ id: 'first', instruction: 'x' }, probe({ value: '{{steps.first.output.price}}' })]
    const { events } = await bench.play(planned(plan, [{ say: 'no output' }]))
    expect(outline(events).slice(-3)).toEqual(unresolved)
  })

  test('without using up attempts', async () => {
    const { events } = await bench.play(planned([{ id: 'p', instruction: '{{input.missing}}', max_attempts: 5 }]))
    expect(ofType(events, 'step.done')).toHaveLength(1)
  })

  test.each([
    ['an agent step', { id: 'p', instruction: 'Do {{input.missing}}.' }],
    ['a tool step', { id: 'p', tool: 'calculator', input: { expression: '{{input.missing}} + 1' } }],
  ])('in %s: the message shows the template as it is written, and is not the word of a provider', async (_, step) => {
    const { id, events } = await bench.play(planned([step]))
    const [done] = ofType(events, 'step.done')
    expect(done?.content).toBe('{{input.missing}} has no value.')
    expect(done).not.toHaveProperty('provider_error_message')
    expect(await bench.include(id, 'failure')).toMatchObject({ message: '{{input.missing}} has no value.' })
  })
})
