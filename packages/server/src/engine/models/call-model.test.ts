import type { Role } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeOptions, failure, fakeExecution, fakeModel, reply } from '../../../test/support/fake-execution.ts'
import { takeTurns } from '../../../test/support/take-turns.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { retryName } from '../../domain/run/turn-log.ts'
import type { Model } from '../../models/port/model.ts'
import { Aborted } from '../context/abort-reason.ts'
import { callModel, type ModelCall } from './call-model.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const callOf = (role: Role, part: Partial<ModelCall['request']> = {}): ModelCall => ({
  role,
  key: '0/a:0',
  request: {
    messages: () => [{ from: 'user', text: 'hello' }],
    tools: [],
    outputSchema: undefined,
    onText: () => undefined,
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
    ...part,
  },
})

function bench(models: readonly Model[], options: FakeOptions = {}) {
  const execution = fakeExecution({ ...options, models: { worker: models, judge: models } })
  const call = (role: Role = 'worker') => callModel(execution.context, callOf(role))
  return { ...execution, call }
}

const retryEntry = (tries: number, body: { firstAtMs: number; dueAtMs: number; skipped?: number }) =>
  journalEntry('retry', retryName('0/a:0', { attempt: 1, tries }), body)

/** Lets the call go on as far as it can, also after the time has passed. */
async function advance(ms: number): Promise<void> {
  await takeTurns(10)
  await vi.advanceTimersByTimeAsync(ms)
  await takeTurns(10)
}

describe('a reply', () => {
  test('is returned with its model, and its tokens count at once', async () => {
    const model = fakeModel('test/m', reply('hi', { usage: { total: 12, cached: 3 } }))
    const { call, ledger, log } = bench([model], { run: { tokens: 100 } })
    expect(await call()).toEqual({
      kind: 'reply',
      reply: reply('hi', { usage: { total: 12, cached: 3 } }),
      model: 'test/m',
      usage: [
        {
          key: expect.any(String),
          eventType: 'tokens.consumed',
          quantity: 12,
          details: { model: 'test/m', cached: 3 },
        },
      ],
    })
    expect(ledger.tokens).toBe(112)
    expect(log.changes).toEqual([])
    expect(model.requests[0]).toMatchObject({ role: 'worker', messages: [{ text: 'hello' }] })
  })

  test('the prompt is not built for a model that does not read it', async () => {
    const model: Model = { name: 'test/blind', readsPrompt: false, respond: async () => reply('hi') }
    const { context } = bench([model])
    const request = callOf('worker').request
    const blind = { ...request, messages: () => expect.unreachable() }
    expect(await callModel(context, { ...callOf('worker'), request: blind })).toMatchObject({ kind: 'reply' })
  })
})

describe('nothing left to spend', () => {
  test('no call is made', async () => {
    const { call } = bench([fakeModel('test/m')], { run: { tokens: 50, tokenLimit: 50 } })
    expect(await call()).toEqual({ kind: 'over_ceiling', usage: [] })
  })

  test('a script judges at no cost', async () => {
    const script: Model = { name: 'script', readsPrompt: false, respond: async () => reply('', { usage: undefined }) }
    const { call } = bench([script], { run: { tokens: 50, tokenLimit: 50 } })
    expect(await call('judge')).toMatchObject({ kind: 'reply' })
    expect(await call('worker')).toMatchObject({ kind: 'over_ceiling' })
  })

  test('an exhausted budget forbids the call', async () => {
    const budget = { currentValue: 7, threshold: 5 }
    const budgets = { exceeded: async () => budget, spend: () => undefined }
    const { call } = bench([fakeModel('test/m')], { parts: { budgets: budgets as never } })
    expect(await call()).toEqual({ kind: 'over_ceiling', usage: [], budget })
  })

  test('the completion that crosses the ceiling is metered, and its reply does not count', async () => {
    const model = fakeModel('test/m', reply('hi', { usage: { total: 11 } }))
    const { call } = bench([model], { run: { tokens: 40, tokenLimit: 50 } })
    expect(await call()).toMatchObject({ kind: 'over_ceiling', usage: [{ quantity: 11 }] })
  })
})

describe('an aborted call', () => {
  test('throws, and its cost is recorded with the next change', async () => {
    const { call, controller, ledger, log } = bench([
      fakeModel('test/m', () => {
        controller.abort('hand_over')
        return { kind: 'aborted', text: 'half', usage: { total: 4, estimated: true } }
      }),
    ])
    await expect(call('judge')).rejects.toThrow(Aborted)
    expect(log.changes).toEqual([])
    await ledger.apply({})
    expect(log.usage).toMatchObject([{ quantity: 4, details: { model: 'test/m', estimated: true } }])
  })

  test('is neither journaled nor parked, however many times the call has failed before', async () => {
    const journal = [retryEntry(9, { firstAtMs: 0, dueAtMs: 0 })]
    const { call, controller, log } = bench(
      [
        fakeModel('test/m', () => {
          controller.abort('lost')
          return { kind: 'aborted', text: '', usage: undefined }
        }),
      ],
      { journal },
    )
    await expect(call()).rejects.toThrow(Aborted)
    expect(log.changes).toEqual([])
  })

  test('is retried if the execution was not aborted', async () => {
    const model = fakeModel('test/m', { kind: 'aborted', text: '', usage: undefined }, reply('hi'))
    const end = bench([model]).call()
    await advance(1_000)
    expect(await end).toMatchObject({ kind: 'reply' })
  })

  test('throws while it waits for the next try, too', async () => {
    const { call, controller } = bench([fakeModel('test/m', failure())])
    const end = call()
    const ended = expect(end).rejects.toThrow(Aborted)
    await advance(500)
    controller.abort('lost')
    await ended
  })
})

describe('a transient failure', () => {
  test('with a short wait is retried here, as the same call and without a journal entry', async () => {
    const model = fakeModel('test/m', failure(), failure(), reply('hi'))
    const { call, log } = bench([model])
    const end = call()
    await advance(999)
    expect(model.requests).toHaveLength(1)
    await advance(1)
    expect(model.requests).toHaveLength(2)
    await advance(2_000)
    expect(await end).toMatchObject({ kind: 'reply', reply: { text: 'hi' } })
    expect(log.changes).toEqual([])
  })

  test('that cost tokens records them, without an event', async () => {
    const model = fakeModel('test/m', failure({ usage: { total: 6 } }), reply('hi'))
    const { call, log } = bench([model])
    const end = call()
    await advance(1_000)
    expect(await end).toMatchObject({ kind: 'reply', usage: [{ quantity: 10 }] })
    expect(log.usage).toMatchObject([{ quantity: 6 }])
    expect(log.journal).toEqual([retryEntry(1, { firstAtMs: 0, dueAtMs: 1_000 })])
    expect(log.events).toEqual([])
  })

  test('with a long wait is parked: journaled, with its decision', async () => {
    const model = fakeModel('test/m', failure({ retryAfterMs: 20_000 }))
    const { call, log } = bench([model])
    expect(await call()).toEqual({ kind: 'parked', dueAtMs: 20_000 })
    expect(log.decisions).toEqual(['worker continue provider_retry'])
    expect(log.journal).toEqual([retryEntry(1, { firstAtMs: 0, dueAtMs: 20_000 })])
  })

  test('continues from the journal when it is due, as the next try', async () => {
    const journal = [retryEntry(3, { firstAtMs: 0, dueAtMs: 20_000 })]
    const early = bench([fakeModel('test/m')], { journal })
    expect(await early.call()).toEqual({ kind: 'parked', dueAtMs: 20_000 })
    expect(early.log.changes).toEqual([])

    // 20 seconds of the hour have passed.
    const run = { remainingMs: 3_600_000 - 20_000 }
    const due = bench([fakeModel('test/m', failure())], { journal, run })
    expect(await due.call()).toEqual({ kind: 'parked', dueAtMs: 28_000 })
    expect(due.log.journal).toEqual([retryEntry(4, { firstAtMs: 0, dueAtMs: 28_000 })])
  })

  test('is given up at last, with its own reason code', async () => {
    const journal = [retryEntry(20, { firstAtMs: 0, dueAtMs: 890_000 })]
    const failed = failure({ reasonCode: 'provider_rate_limited', usage: { total: 3 } })
    const { call } = bench([fakeModel('test/m', failed)], { journal, run: { remainingMs: 3_600_000 - 890_000 } })
    expect(await call()).toMatchObject({
      kind: 'failed',
      failure: { reasonCode: 'provider_rate_limited', message: 'Given up after 890 s. not now' },
      usage: [{ quantity: 3 }],
    })
  })
})

test.each(['never', 'step'] as const)('a failure with retry %s ends the call at once', async (retry) => {
  const { call, log } = bench([fakeModel('test/m', failure({ retry, reasonCode: 'provider_refused' }))])
  expect(await call()).toMatchObject({ kind: 'failed', failure: { retry, reasonCode: 'provider_refused' } })
  expect(log.changes).toEqual([])
})

describe('a list of models', () => {
  test('the second answers when the first refuses its key, and the journal says so', async () => {
    const first = fakeModel('test/a', failure({ retry: 'never', reasonCode: 'provider_auth' }))
    const { call, log } = bench([first, fakeModel('test/b', reply('hi'))])
    expect(await call()).toMatchObject({ kind: 'reply', model: 'test/b' })
    expect(log.decisions).toEqual(['worker continue model_fallback'])
    expect(log.journal).toEqual([retryEntry(1, { firstAtMs: 0, dueAtMs: 0, skipped: 1 })])
  })

  test('a call that has moved on stays with the second model in the next execution of the run', async () => {
    const journal = [retryEntry(1, { firstAtMs: 0, dueAtMs: 0, skipped: 1 })]
    const { call, log } = bench([fakeModel('test/a'), fakeModel('test/b', reply('hi'))], { journal })
    expect(await call()).toMatchObject({ kind: 'reply', model: 'test/b' })
    expect(log.changes).toEqual([])
  })

  test('both refuse: the last refusal is the failure', async () => {
    const refused = (message: string) => failure({ retry: 'never', reasonCode: 'provider_quota', message })
    const { call } = bench([fakeModel('test/a', refused('a')), fakeModel('test/b', refused('b'))])
    expect(await call()).toMatchObject({ kind: 'failed', failure: { message: 'b' } })
  })
})

describe('a breaker', () => {
  const trip = ({ context }: ReturnType<typeof bench>, model: string) => {
    for (let failures = 0; failures < 5; failures += 1) context.parts.breakers.of(model).failed()
  }

  test('that is open admits no call: the run is parked until it does', async () => {
    const made = bench([fakeModel('test/m')])
    trip(made, 'test/m')
    expect(await made.call()).toEqual({ kind: 'parked', dueAtMs: 30_000 })
    expect(made.log.decisions).toEqual(['worker continue provider_retry'])
  })

  test('that is open passes the call on to the next model', async () => {
    const made = bench([fakeModel('test/a'), fakeModel('test/b', reply('hi'))])
    trip(made, 'test/a')
    expect(await made.call()).toMatchObject({ kind: 'reply', model: 'test/b' })
    expect(made.log.decisions).toEqual(['worker continue model_fallback'])
  })

  test('counts transient failures, and is closed by any other answer', async () => {
    const outcomes = [failure(), failure({ retry: 'never', reasonCode: 'provider_error' })]
    const { call, context } = bench([fakeModel('test/m', ...outcomes)])
    const breaker = context.parts.breakers.of('test/m')
    for (let failures = 0; failures < 3; failures += 1) breaker.failed()
    const end = call()
    await advance(1_000)
    expect(await end).toMatchObject({ kind: 'failed' })
    for (let failures = 0; failures < 4; failures += 1) breaker.failed()
    expect(breaker.state).toBeUndefined()
    breaker.failed()
    expect(breaker.state).toMatchObject({ failures: 5 })
  })
})
