// What an agent step makes of its model's answers: unusable ones, structured ones, ones with secrets.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { askFor, executeAgentStep } from '../../../test/support/agent-step.ts'
import { failure, fakeModel, fakeTool, promptOf, reply } from '../../../test/support/fake-execution.ts'
import { maxShownLength } from '../../agents/value-text.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { ModelRequest } from '../../models/port/model.ts'
import { defaultAgentLimits } from '../context/agent-limits.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const look = (run: () => unknown = () => 'ok') => fakeTool('look', { run })

describe('an answer that is no result', () => {
  test('empty: asked once more, then failed; turns with calls are kept', async () => {
    const made = executeAgentStep([askFor({ name: 'look' }), reply(''), reply(' ')], { tools: [look()] })
    expect(await made.end).toMatchObject({
      kind: 'failed',
      reasonCode: 'empty_reply',
      retryable: false,
      keptTurns: 1,
      usage: [],
    })
    expect(promptOf(made.worker.requests[2])).toContain('Your answer was empty')
    expect(made.log.usage.filter(({ eventType }) => eventType === 'tokens.consumed')).toHaveLength(3)
  })

  test('cut at the length limit: journaled as cut, and the pieces are one result', async () => {
    const { end, log } = executeAgentStep([reply('One, ', { finish: 'length' }), reply('two.')])
    expect(await end).toMatchObject({ kind: 'succeeded', content: 'One, two.' })
    expect(log.journal).toMatchObject([{ key: 'reply:0/a:0', body: { text: 'One, ', finish: 'length' } }])
  })
})

test('the last turn offers no tools, and the end says that the limit was reached', async () => {
  const parts = { limits: { ...defaultAgentLimits, maxTurns: 2 } }
  const { end, worker } = executeAgentStep([askFor({ name: 'look' }), reply('This far.')], { tools: [look()], parts })
  expect(await end).toMatchObject({ kind: 'succeeded', content: 'This far.', note: 'turn_limit' })
  expect(worker.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['look'], []])
})

describe('structured output', () => {
  const output_schema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }
  const asks = ({ outputSchema }: ModelRequest) => outputSchema

  test('of a step without tools is asked for from the first turn on', async () => {
    const step = { output_schema, tools: [] }
    const { end, worker } = executeAgentStep([reply('{"price":391}')], { step })
    expect(await end).toMatchObject({ output: { price: 391 } })
    expect(worker.requests.map(asks)).toEqual([output_schema])
  })

  test('of a step with tools is asked for only in the repair', async () => {
    const made = executeAgentStep([reply('It is cheap.'), reply('{"price":391}')], { step: { output_schema } })
    expect(await made.end).toMatchObject({ output: { price: 391 } })
    expect(made.worker.requests.map(asks)).toEqual([undefined, output_schema])
    expect(promptOf(made.worker.requests[1])).toContain('Your answer cannot be used')
  })

  test('that stays unusable fails the step, and says why', async () => {
    const replies = [reply('Cheap.'), reply('Cheaper.'), reply('Very cheap.')]
    const { end } = executeAgentStep(replies, { step: { output_schema } })
    expect(await end).toMatchObject({
      kind: 'failed',
      reasonCode: 'output_invalid',
      explanation: expect.stringContaining('holds no JSON'),
      content: 'Very cheap.',
      keptTurns: 0,
    })
  })

  test('that was repaired is found again by a later execution', async () => {
    const journal = [
      journalEntry('reply', '0/a:0', { text: '{"price":"much"}', calls: [], model: 'test/worker' }),
      journalEntry('reply', '0/a:1', { text: '{"price":"more"}', calls: [], model: 'test/worker' }),
      journalEntry('reply', '0/a:2', { text: '{"price":"most"}', calls: [], model: 'test/worker' }),
    ]
    const { end, worker } = executeAgentStep([], { step: { output_schema }, journal })
    expect(await end).toMatchObject({
      reasonCode: 'output_invalid',
      explanation: expect.stringContaining('price must'),
    })
    expect(worker.requests).toHaveLength(0)
    const [first] = journal
    const repaired = executeAgentStep([reply('{"price":4}')], {
      step: { output_schema },
      journal: first ? [first] : [],
    })
    expect(await repaired.end).toMatchObject({ kind: 'succeeded', output: { price: 4 } })
    expect(promptOf(repaired.worker.requests[0])).toContain('Your answer cannot be used: price must be number')
  })

  test.each([
    ['too large', { items: { pattern: 'a{0,1000}'.repeat(400) } }, 'output_schema.items.pattern is too large'],
    ['invalid', { type: 'nonsense' }, 'output_schema cannot be compiled: schema is invalid'],
  ])('with a schema that is %s fails before the model is asked', async (_, unusable, problem) => {
    const { end, worker } = executeAgentStep([], { step: { output_schema: unusable } })
    expect(await end).toMatchObject({
      kind: 'failed',
      reasonCode: 'output_schema_unusable',
      retryable: false,
      explanation: expect.stringContaining(problem),
    })
    expect(worker.requests).toHaveLength(0)
  })

  test('that takes too much work to check fails the step, and the tokens are counted', async () => {
    const step = { output_schema: { properties: { text: { pattern: '(?:x?){500}[yz]$' } } } }
    const { end, log } = executeAgentStep([reply(JSON.stringify({ text: 'x'.repeat(60_000) }))], { step })
    expect(await end).toMatchObject({
      kind: 'failed',
      reasonCode: 'output_check_limit',
      retryable: false,
      explanation: expect.stringContaining('the patterns of the schema take too many steps'),
    })
    expect(log.usage).toMatchObject([{ eventType: 'tokens.consumed' }])
  })

  test('is not checked once the run is aborted, which decides nothing', async () => {
    const { end, controller, log } = executeAgentStep([() => abortWith(reply('{"price":1}'))], {
      step: { output_schema },
    })
    const abortWith = (answer: ReturnType<typeof reply>) => {
      controller.abort('hand_over')
      return answer
    }
    await expect(end).rejects.toThrow('hand_over')
    expect(log.events).toEqual([])
  })

  test('that a provider returns as a value is journaled and used', async () => {
    const models = { judge: [fakeModel('test/judge')] }
    const value = reply('', { output: { price: 391 } })
    const { end, log } = executeAgentStep([value], { step: { output_schema, tools: [] }, models })
    expect(await end).toMatchObject({ kind: 'succeeded', output: { price: 391 } })
    expect(log.journal).toMatchObject([{ body: { text: '', output: { price: 391 } } }])
  })

  test('of the run is asked of its last step only', async () => {
    const run = { input: { output_schema } }
    const last = executeAgentStep([reply('{"price":391}')], { run, step: { tools: [] } })
    await last.end
    expect(last.worker.requests.map(asks)).toEqual([output_schema])
    const more = [{ id: 'b', instruction: 'Tell it' }]
    const first = executeAgentStep([reply('Thinking.')], { run, step: { tools: [] }, more })
    expect(await first.end).toMatchObject({ kind: 'succeeded', content: 'Thinking.' })
    expect(first.worker.requests.map(asks)).toEqual([undefined])
  })
})

describe('a result that is too long', () => {
  const long = () => look(() => 'x'.repeat(maxShownLength + 1))
  const names = ({ tools }: ModelRequest) => tools.map(({ name }) => name)

  test.each([
    ['all tools', {}],
    ['its own tools', { tools: ['look'] }],
  ])('is shown cut, and read_result is offered from then on beside %s', async (_, step) => {
    const outcomes = [askFor({ name: 'look' }), readOn, reply('Done.')]
    const { end, worker } = executeAgentStep(outcomes, { tools: [long()], step })
    expect(await end).toMatchObject({ evidence: { calls: [{ outcome: 'succeeded' }, { outcome: 'succeeded' }] } })
    expect(worker.requests.map(names)).toEqual([['look'], ['look', 'read_result'], ['look', 'read_result']])
    expect(worker.requests[2]?.messages.at(-1)).toMatchObject({ result: { offset: maxShownLength, text: 'x' } })
  })

  const readOn = (request: ModelRequest) => {
    const call_id = /call_id \\?"(call_\w+)/.exec(promptOf(request))?.[1]
    return askFor({ name: 'read_result', input: { call_id, offset: maxShownLength } })
  }

  test('of the longest length that fits is shown whole', async () => {
    const tools = [look(() => 'x'.repeat(maxShownLength))]
    const { end, worker } = executeAgentStep([askFor({ name: 'look' }), reply('Done.')], { tools })
    await end
    expect(worker.requests.map(names)).toEqual([['look'], ['look']])
  })
})

describe('a run with secrets', () => {
  const document = { input: { password: 'correct horse' }, metadata: {} }
  const secrets = SecretKeeper.find(document, [{ path: '$.input.password', classification: 'pii' }])
  const run = { ...document, secrets }

  test('an answer is masked in the end of the step and in the journal', async () => {
    const models = { judge: [fakeModel('test/judge')] }
    const { end, log } = executeAgentStep([reply('It is correct horse.')], { run, models })
    expect(await end).toMatchObject({ content: 'It is ***.', redacted: true })
    const [touch, journaled] = log.journal
    expect(touch).toEqual(journalEntry('touch', 'sensitive', { touches: ['sensitive'] }))
    expect(journaled).toMatchObject({ body: { text: 'It is ***.', redacted: true } })
  })

  test('the output is masked, too', async () => {
    expect(await executeAgentStep([reply('{"word":"correct horse"}')], { run }).end).toMatchObject({
      output: { word: '***' },
      redacted: true,
    })
  })

  test('a secret that begins in an earlier turn is masked in the result', async () => {
    const { end } = executeAgentStep(
      [reply('correct ', { toolCalls: [{ id: 'm0', name: 'look', input: {} }] }), reply('horse')],
      { run, tools: [look()] },
    )
    expect(await end).toMatchObject({ content: expect.not.stringContaining('horse'), redacted: true })
  })

  test('a call is journaled with the placeholder; the tool gets the value', async () => {
    const pay = fakeTool('pay')
    const withSecret = ({ messages }: ModelRequest) => {
      const placeholder = /"password":"([^"]+)"/.exec(JSON.stringify(messages).replaceAll('\\"', '"'))?.[1]
      return askFor({ name: 'pay', input: { with: placeholder } })
    }
    const { end, log, worker } = executeAgentStep([withSecret, reply('Done.')], { run, tools: [pay] })
    await end
    expect(pay.calls).toMatchObject([{ input: { with: 'correct horse' } }])
    expect(JSON.stringify([log.changes, worker.requests])).not.toContain('correct horse')
  })

  test('the message of a failed call is masked', async () => {
    const message = 'Bad request: correct horse'
    const refused = failure({ retry: 'never', message, text: 'correct horse' })
    expect(await executeAgentStep([refused], { run }).end).toMatchObject({
      message: 'Bad request: ***',
      content: '***',
      redacted: true,
    })
  })

  test('the end of a text that may become a secret is not sent in a later execution either', async () => {
    const journal = [
      journalEntry('reply', '0/a:0', {
        text: 'It is correct ',
        calls: [{ callId: 'call_1', modelCallId: 'm0', name: 'look', input: {} }],
        model: 'test/worker',
      }),
    ]
    const streamed = async ({ onText }: ModelRequest) => {
      await onText('horse')
      return reply('horse')
    }
    const { end } = executeAgentStep([streamed], { run, journal, tools: [look()] })
    // The log masks the whole, as it sees both halves.
    expect(await end).toMatchObject({ rest: 'correct horse' })
  })
})

describe('the prompt', () => {
  test('begins the same in every turn, though tokens are spent in between', async () => {
    const { end, worker } = executeAgentStep([askFor({ name: 'look' }), reply('Done.')], { tools: [look()] })
    await end
    const [first, second] = worker.requests.map(({ messages }) => messages.slice(0, 2))
    expect(second).toEqual(first)
    expect(promptOf(worker.requests[0])).not.toContain('Left to spend')
  })

  test('says what is left to spend when that is little, at its end', async () => {
    const run = { tokenLimit: 1_000, tokens: 850 }
    const { end, worker } = executeAgentStep([askFor({ name: 'look' }), reply('Done.')], { tools: [look()], run })
    await end
    const budgets = worker.requests.map(({ messages }) => messages.at(-1))
    expect(budgets).toMatchObject([150, 140].map((left) => ({ text: expect.stringContaining(`${left} tokens`) })))
  })

  test('shows in a later execution what it showed in the first turn, whatever was finished or answered meanwhile', async () => {
    const done = { stepId: 'b', kind: 'agent', content: 'B is done.', output: null, redacted: false, order: 0 } as const
    const seen = { date: '2020-02-02', done: 0, answers: 0, memory: 'OLD NOTES' }
    const journal = [
      journalEntry('done', '0/b', done),
      journalEntry('reply', '0/a:0', { text: '', calls: [], model: 'test/worker', seen }),
    ]
    const { end, worker } = executeAgentStep([reply('Done.')], {
      journal,
      answers: [{ action: 'approve', payload: null, waitKey: 'gate:0/g', asked: { prompt: 'Later?', call: null } }],
    })
    await end
    const prompt = promptOf(worker.requests[0])
    expect(prompt).toContain('OLD NOTES\n\nDate (UTC): 2020-02-02')
    expect(prompt).not.toMatch(/B is done|Later\?/)
  })

  test('has the notes about the instruction, searched once for all turns', async () => {
    const recall = vi.fn(async () => [{ kind: 'fact', title: 'Bank', content: 'Use the blue one.' }])
    const made = executeAgentStep([askFor({ name: 'look' }), reply('x')], { tools: [look()], parts: { recall } })
    await made.end
    expect(recall.mock.calls).toMatchObject([[{ text: 'Pay it' }, {}]])
    for (const request of made.worker.requests) expect(promptOf(request)).toContain('Use the blue one.')
  })

  test('gives the model its own data back unchanged', async () => {
    const echo = { signature: 'abc' }
    const first = { ...askFor({ name: 'look' }), echo }
    const { end, worker } = executeAgentStep([first, reply('Done.')], { tools: [look()] })
    await end
    expect(worker.requests[1]?.messages[2]).toMatchObject({ from: 'assistant', echo })
  })
})
