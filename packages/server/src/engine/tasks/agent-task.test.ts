import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { askFor, executeAgentStep } from '../../../test/support/agent-step.ts'
import { failure, fakeModel, fakeTool, promptOf, reply } from '../../../test/support/fake-execution.ts'
import { prompts } from '../../agents/load-prompt.ts'
import { journalEntry, type ReplyEntry } from '../../domain/run/journal.ts'
import type { ModelRequest } from '../../models/port/model.ts'
import { Aborted } from '../context/abort-reason.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const keys = ({ log }: { log: { journal: readonly { key: string }[] } }) =>
  log.journal.map(({ key }) => key.replace(/call_\w+/, 'call'))

const journaled = (turn: string, part: Partial<ReplyEntry> = {}) =>
  journalEntry('reply', `0/a:${turn}`, { text: '', calls: [], model: 'test/worker', ...part })
const pays = { callId: 'call_1', modelCallId: 'm0', name: 'pay', input: { invoice: 17 } }
const paid = journalEntry('result', 'call_1', { outcome: 'succeeded', output: { paid: true } })
const payCall = journalEntry('call', 'call_1', { name: 'pay', effect: 'once' })
const aJudge = () => fakeModel('test/judge')

describe('an answer', () => {
  test('is the end of the step, and the judge’s change records it', async () => {
    const { end, task, log, worker } = executeAgentStep([reply('It is paid.')])
    expect(await end).toMatchObject({
      kind: 'succeeded',
      task,
      content: 'It is paid.',
      output: null,
      redacted: false,
      usage: [{ eventType: 'tokens.consumed', quantity: 10 }],
      evidence: { instruction: 'Pay it', calls: [], keptTurns: 0 },
    })
    expect(log.changes).toEqual([])
    expect(promptOf(worker.requests[0])).toContain('Now do this step: Pay it')
  })

  test('that a model will judge is journaled first, with its usage', async () => {
    const made = executeAgentStep([reply('It is paid.')], { models: { judge: [aJudge()] } })
    expect(await made.end).toMatchObject({ kind: 'succeeded', usage: [] })
    expect(made.log.journal).toEqual([
      journaled('0', {
        text: 'It is paid.',
        model: 'test/worker',
        promptVersion: prompts.worker.version,
        seen: { date: expect.any(String), done: 0, answers: 0 },
      }),
    ])
    expect(made.log.changes[0]).toMatchObject({ tokens: 10 })
  })

  test('that was journaled is not asked for again', async () => {
    const journal = [journaled('0', { text: 'It is paid.' })]
    const { end, worker } = executeAgentStep([], { journal, models: { judge: [aJudge()] } })
    expect(await end).toMatchObject({ kind: 'succeeded', content: 'It is paid.', usage: [] })
    expect(worker.requests).toEqual([])
  })

  test('that is JSON is the output, too', async () => {
    expect(await executeAgentStep([reply('{"price":391}')]).end).toMatchObject({ output: { price: 391 } })
  })

  test('in pieces: what is not sent as an event yet comes with the end', async () => {
    const streamed = async ({ onText }: ModelRequest) => {
      await onText('It is ')
      await onText('paid.')
      return reply('It is paid.')
    }
    expect(await executeAgentStep([streamed]).end).toMatchObject({ rest: 'It is paid.' })
    expect(await executeAgentStep([streamed], { run: { streaming: false } }).end).toMatchObject({ rest: '' })
  })
})

describe('an instruction', () => {
  test('is filled in from the run', async () => {
    const step = { instruction: 'Pay {{input.invoice}}' }
    const { worker, end } = executeAgentStep([reply('x')], { step, run: { input: { invoice: 17 } } })
    await end
    expect(promptOf(worker.requests[0])).toContain('Now do this step: Pay 17')
  })

  test('without a value fails the step permanently, before any call', async () => {
    const { worker, end } = executeAgentStep([], { step: { instruction: 'Pay {{input.gone}}' } })
    expect(await end).toMatchObject({
      kind: 'failed',
      reasonCode: 'template_unresolved',
      retryable: false,
      content: '{{input.gone}} has no value.',
    })
    expect(worker.requests).toEqual([])
  })
})

describe('a tool call', () => {
  test('is journaled with its reply before the tool runs, and its result is in the next prompt', async () => {
    const before: string[][] = []
    const run = () => {
      before.push(keys(made))
      return { paid: true }
    }
    const pay = fakeTool('pay', { effect: 'once', run })
    const made = executeAgentStep([askFor({ name: 'pay', input: { invoice: 17 } }), reply('Done.')], { tools: [pay] })
    expect(await made.end).toMatchObject({
      content: 'Done.',
      evidence: {
        calls: [{ name: 'pay', input: { invoice: 17 }, outcome: 'succeeded', result: { paid: true } }],
        keptTurns: 1,
      },
    })
    expect(before).toEqual([['reply:0/a:0', 'call:call']])
    expect(keys(made)).toEqual(['reply:0/a:0', 'call:call', 'result:call'])
    expect(made.log.changes.map(({ journal = [] }) => journal.length)).toEqual([2, 1])
    expect(made.log.changes[0]).toMatchObject({ tokens: 10 })
    expect(made.worker.requests[1]?.messages.at(-1)).toMatchObject({
      from: 'tool',
      callId: 'm0',
      result: { paid: true },
    })
  })

  test('has the same id in every execution of the run', async () => {
    const ids: string[] = []
    const pay = fakeTool('pay', { run: (_, { toolCallId }) => void ids.push(toolCallId) })
    const run = (epoch: number) =>
      executeAgentStep([askFor({ name: 'pay' }), reply('x')], { tools: [pay], run: { epoch } }).end
    await run(3)
    await run(4)
    expect(ids[0]).toBe(ids[1])
  })

  test('of another turn has another id', async () => {
    const ids: string[] = []
    const pay = fakeTool('pay', { run: (_, { toolCallId }) => void ids.push(toolCallId) })
    await executeAgentStep([askFor({ name: 'pay' }), askFor({ name: 'pay' }), reply('x')], { tools: [pay] }).end
    expect(new Set(ids).size).toBe(2)
  })

  test('whose turn is finished counts as progress of the run', async () => {
    const made = executeAgentStep([askFor({ name: 'pay' }), askFor({ name: 'pay' }), reply('x')], {
      tools: [fakeTool('pay')],
    })
    await made.end
    const replies = made.log.changes.filter(({ journal = [] }) => journal.some(({ key }) => key.startsWith('reply:')))
    expect(replies.map(({ resetsRecoveries }) => resetsRecoveries)).toEqual([undefined, true])
  })

  test('that the step does not allow is refused, and the model is told', async () => {
    const pay = fakeTool('pay')
    const made = executeAgentStep([askFor({ name: 'pay' }), reply('x')], {
      tools: [pay, fakeTool('look')],
      step: { tools: ['look'] },
    })
    expect(await made.end).toMatchObject({ evidence: { calls: [{ outcome: 'policy_denied' }] } })
    expect(pay.calls).toEqual([])
    expect(made.worker.requests[1]?.messages.at(-1)).toMatchObject({ failed: true })
  })

  test('that needs approval asks for it; the reply is kept', async () => {
    const pay = fakeTool('pay', { policy: 'ask' })
    const made = executeAgentStep([askFor({ name: 'pay' })], { tools: [pay] })
    expect(await made.end).toMatchObject({ kind: 'person_asked', task: made.task, wait: { inputKind: 'approval' } })
    expect(keys(made)).toEqual(['reply:0/a:0'])
  })

  test('chatter before it is sent as an event with the reply, and is not part of the result', async () => {
    const chatter = async ({ onText }: ModelRequest) => {
      await onText('Let me look.')
      return reply('Let me look.', { toolCalls: [{ id: 'm0', name: 'look', input: {} }] })
    }
    const { end, log } = executeAgentStep([chatter, reply('391.')], { tools: [fakeTool('look')] })
    expect(await end).toMatchObject({ content: '391.', rest: '' })
    expect(log.changes[0]?.events?.map(({ payload }) => payload.content_delta ?? payload.kind)).toEqual([
      'Let me look.',
      'tool_call_start',
    ])
  })
})

describe('a step that is executed again', () => {
  const pay = () => fakeTool('pay', { effect: 'once' })

  test('makes no call again that has a result, and goes on with the next turn', async () => {
    const tool = pay()
    const journal = [journaled('0', { calls: [pays] }), payCall, paid]
    const { end, worker } = executeAgentStep([reply('Done.')], { journal, tools: [tool] })
    expect(await end).toMatchObject({ kind: 'succeeded', content: 'Done.', evidence: { keptTurns: 1 } })
    expect(tool.calls).toEqual([])
    expect(worker.requests).toHaveLength(1)
    expect(worker.requests[0]?.messages.at(-1)).toMatchObject({ from: 'tool', result: { paid: true } })
  })

  test('makes a call that had not started, without asking the model for it again', async () => {
    const tool = pay()
    const { end, worker } = executeAgentStep([reply('Done.')], {
      journal: [journaled('0', { calls: [pays] })],
      tools: [tool],
    })
    await end
    expect(tool.calls).toMatchObject([{ input: { invoice: 17 }, context: { toolCallId: 'call_1' } }])
    expect(worker.requests).toHaveLength(1)
  })

  test('asks a person about a `once` call that had started', async () => {
    const tool = pay()
    const { end } = executeAgentStep([], { journal: [journaled('0', { calls: [pays] }), payCall], tools: [tool] })
    expect(await end).toMatchObject({ kind: 'person_asked', wait: { reasonCode: 'tool_outcome_unknown' } })
    expect(tool.calls).toEqual([])
  })

  test('after its answer was bad: keeps the turns with calls, and asks again under a new key', async () => {
    const journal = [
      journaled('0', { calls: [pays] }),
      payCall,
      paid,
      journaled('1', { text: 'I did not pay.' }),
      journalEntry('fail', '0/a:0', { attempt: 1, keptTurns: 1 }),
    ]
    const tool = pay()
    const made = executeAgentStep([reply('It is paid.')], { journal, tools: [tool], models: { judge: [aJudge()] } })
    expect(await made.end).toMatchObject({ content: 'It is paid.' })
    expect(tool.calls).toEqual([])
    expect(keys(made)).toEqual(['reply:0/a:1@1'])
    expect(promptOf(made.worker.requests[0])).not.toContain('I did not pay.')
  })
})

describe('a model call that fails', () => {
  test.each([
    ['never', false],
    ['step', true],
  ] as const)('for good (%s): another attempt may help: %s', async (retry, retryable) => {
    const failed = failure({ retry, reasonCode: 'provider_error', text: 'It was', usage: { total: 3 } })
    expect(await executeAgentStep([failed]).end).toMatchObject({
      kind: 'failed',
      reasonCode: 'provider_error',
      message: 'not now',
      retryable,
      content: 'It was',
      usage: [{ quantity: 3 }],
    })
  })

  test('keeps all turns: the next attempt goes on from them', async () => {
    const refused = failure({ retry: 'never', reasonCode: 'provider_error' })
    const end = await executeAgentStep([askFor({ name: 'pay' }), refused], { tools: [fakeTool('pay')] }).end
    expect(end).toMatchObject({ kind: 'failed' })
    expect(end).not.toHaveProperty('keptTurns')
  })

  test('and is repeated much later parks the step', async () => {
    const { end, task } = executeAgentStep([failure({ retryAfterMs: 90_000 })])
    expect(await end).toEqual({ kind: 'parked', task, dueAtMs: 90_000 })
  })

  test('at the token limit ends the run', async () => {
    const { end, task } = executeAgentStep([reply('x', { usage: { total: 60 } })], { run: { tokenLimit: 50 } })
    expect(await end).toMatchObject({ kind: 'over_ceiling', task, usage: [{ quantity: 60 }] })
  })

  test('because it was aborted decides nothing: its tokens are counted, and the step throws', async () => {
    const made = executeAgentStep([
      () => {
        made.controller.abort('hand_over')
        return { kind: 'aborted', text: 'It', usage: { total: 4 } }
      },
    ])
    await expect(made.end).rejects.toThrow(Aborted)
    expect([made.log.changes, made.ledger.tokens]).toEqual([[], 4])
  })

  test('because the prompt is too long: shortened and repeated once, then failed', async () => {
    const tooLong = failure({ retry: 'never', reasonCode: 'context_exceeded' })
    const long = fakeTool('look', { run: () => 'x'.repeat(10_000) })
    const made = executeAgentStep([askFor({ name: 'look' }), tooLong, reply('Done.')], { tools: [long] })
    expect(await made.end).toMatchObject({ kind: 'succeeded', content: 'Done.' })
    const [, before, after] = made.worker.requests.map((request) => promptOf(request).length)
    expect(before).toBeGreaterThan(10_000)
    expect(after).toBeLessThan(8_000)
    expect(await executeAgentStep([tooLong, tooLong]).end).toMatchObject({
      kind: 'failed',
      reasonCode: 'context_exceeded',
    })
  })
})
