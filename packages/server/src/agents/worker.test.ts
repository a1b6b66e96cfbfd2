import { describe, expect, test } from 'vitest'
import type { CallResultEntry, JournaledCall } from '../domain/run/journal.ts'
import { prompts } from './load-prompt.ts'
import type { PromptContext } from './prompt.ts'
import { workerMessages } from './worker.ts'
import type { WorkerTurn } from './worker-loop.ts'

const context: PromptContext = {
  goal: 'Pay the invoice',
  input: { invoice: 17 },
  attachmentRefs: [],
  date: '2026-11-16',
  plan: undefined,
  finished: [],
  answers: [],
  tokensLeft: 900,
  secondsLeft: 60,
}

type Worker = Parameters<typeof workerMessages>[0]

const messages = (part: Partial<Worker> = {}) =>
  workerMessages({
    context,
    instruction: 'Check it',
    memory: '',
    turns: [],
    rules: { maxTurns: 50, outputSchema: undefined, checked: new Map() },
    summary: undefined,
    ...part,
  })

const task = (part?: Partial<Worker>): string => {
  const [, message] = messages(part)
  expect(message?.from).toBe('user')
  return (message as { text: string }).text
}

const call = (id: string, input: unknown = {}): JournaledCall => ({
  callId: `call_${id}`,
  modelCallId: id,
  name: 'x',
  input,
})
const turn = (text: string, calls: JournaledCall[] = [], results: CallResultEntry[] = []): WorkerTurn => ({
  reply: { text, calls, model: 'test/m' },
  results,
})

describe('the task', () => {
  test('comes after the system prompt: the run and the step, and what is left only if that is little', () => {
    expect(messages()[0]).toEqual({ from: 'system', text: prompts.worker.text })
    const parts = ['Goal: Pay the invoice', '{"invoice":17}', 'Check it']
    expect(JSON.stringify(messages())).not.toContain('Left to spend')
    expect(messages({ budget: { tokensLeft: 9, secondsLeft: 6 } }).at(-1)).toEqual({
      from: 'user',
      text: 'Left to spend: 9 tokens, 6 seconds.',
    })
    const places = parts.map((part) => task().indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('starts with the notes from memory, if any', () => {
    expect(task({ memory: 'NOTES' }).startsWith('NOTES\n\n')).toBe(true)
    expect(task().startsWith('Date')).toBe(true)
  })

  test('without an instruction is what the input asks for', () => {
    expect(task({ instruction: '' })).toContain('Now do this step: Do what the input asks for.')
  })

  test('contains the schema of the result', () => {
    const outputSchema = { type: 'object', required: ['price'] }
    const told = '{"type":"object","required":["price"]}'
    expect(task({ rules: { maxTurns: 50, outputSchema, checked: new Map() } })).toContain(told)
    expect(task()).not.toContain('JSON Schema')
  })
})

describe('the conversation', () => {
  test('contains the turns with their calls and results', () => {
    const results: CallResultEntry[] = [
      { outcome: 'succeeded', output: { n: 4 } },
      { outcome: 'timeout', message: 'took too long' },
      { outcome: 'policy_denied', message: 'not allowed' },
    ]
    const turns = [turn('let me see', [call('a', { q: 1 }), call('b'), call('c')], results)]
    expect(messages({ turns }).slice(2)).toEqual([
      {
        from: 'assistant',
        text: 'let me see',
        toolCalls: [
          { id: 'a', name: 'x', input: { q: 1 } },
          { id: 'b', name: 'x', input: {} },
          { id: 'c', name: 'x', input: {} },
        ],
      },
      { from: 'tool', callId: 'a', name: 'x', result: { n: 4 }, failed: false },
      { from: 'tool', callId: 'b', name: 'x', result: 'took too long', failed: true },
      { from: 'tool', callId: 'c', name: 'x', result: 'not allowed', failed: true },
    ])
  })

  test('contains the messages to the model between its turns', () => {
    const turns = [turn(''), turn('half', [])].map((made, index) =>
      index === 0 ? made : { ...made, reply: { ...made.reply, finish: 'length' as const } },
    )
    const told = messages({ turns }).slice(2)
    expect(told.map(({ from }) => from)).toEqual(['assistant', 'user', 'assistant', 'user'])
    expect(told[1]).toMatchObject({ text: expect.stringContaining('was empty') })
    expect(told[3]).toMatchObject({ text: expect.stringContaining('cut off at the length limit') })
  })

  test('returns the echo to the provider', () => {
    const [made] = [turn('hi')]
    const turns = [{ ...made, reply: { ...made.reply, echo: { calls: {} } } }]
    expect(messages({ turns })[2]).toMatchObject({ echo: { calls: {} } })
    expect(messages({ turns: [made] })[2]).not.toHaveProperty('echo')
  })

  test('cuts long results, with the id for reading on, and more when there is less space', () => {
    const output = 'y'.repeat(20_000)
    const turns = [turn('', [call('a')], [{ outcome: 'succeeded', output }])]
    const shown = (part: Partial<Worker>) => messages({ turns, ...part })[3]
    expect(shown({})).toMatchObject({ result: expect.stringMatching(/call_id "call_a"[^y]*\n\ny{16000}$/) })
    const short = shown({ shown: { toolResultLength: 100 } })
    expect(short).toMatchObject({ result: expect.stringMatching(/\n\ny{100}$/) })
  })

  test('starts with the summary that replaces the oldest turns', () => {
    const turns = ['one', 'two', 'three'].map((text) =>
      turn(text, [call(text, { text })], [{ outcome: 'succeeded', output: 1 }]),
    )
    const told = messages({ turns, summary: { turns: 2, text: 'what happened' } }).slice(2)
    expect(told[0]).toMatchObject({ from: 'user', text: expect.stringMatching(/<data name="summary.*what happened/s) })
    expect(told.slice(1)).toMatchObject([
      { from: 'assistant', text: 'three' },
      { from: 'tool', callId: 'three' },
    ])
  })

  test('has the same messages before a turn with and without a summary', () => {
    const same = Array.from({ length: 3 }, (_, n) => turn('', [call(`c${n}`)], [{ outcome: 'succeeded', output: 1 }]))
    const last = (part: Partial<Worker>) => messages({ turns: same, ...part }).at(-1)
    expect(last({})).toMatchObject({ from: 'user', text: expect.stringContaining('the same call 3 times') })
    expect(last({ summary: { turns: 2, text: 's' } })).toEqual(last({}))
  })
})
