import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Model, ModelOutcome, ModelRequest } from '../../models/port/model.ts'
import { TokenReservations } from './token-reservations.ts'

const wrapping = JSON.stringify([[{ from: 'user', text: '' }], []]).length
const prompt = (tokens: number) => [{ from: 'user' as const, text: 'x'.repeat(tokens * 4 - wrapping) }]
const request = (tokens: number, signal = new AbortController().signal): ModelRequest => ({
  role: 'worker',
  messages: prompt(tokens),
  tools: [],
  outputSchema: undefined,
  maxOutputTokens: undefined,
  signal,
  onText: () => undefined,
  rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
})

/** Reservations of so many tokens, and a model whose calls end when the test says so, each with its tokens. */
function bench(tokens: number) {
  let left = tokens
  const calls: { readonly maxOutputTokens: number | undefined; end(spent: number): void }[] = []
  const model: Model = {
    name: 'test',
    respond: ({ maxOutputTokens }) =>
      new Promise<ModelOutcome>((resolve) => {
        const end = (spent: number) => resolve({ kind: 'aborted', text: '', usage: { total: spent } })
        calls.push({ maxOutputTokens, end })
      }),
  }
  const guarded = new TokenReservations(() => left).guard(model)
  const ask = async (promptTokens: number, signal?: AbortSignal) => {
    const outcome = await guarded.respond(request(promptTokens, signal))
    left -= outcome.usage?.total ?? 0
  }
  return { ask, calls }
}
/** Lets everything that needs no timer finish. It admits the next call one immediate after another ends. */
const settled = async () => {
  for (let n = 0; n < 3; n += 1) await immediate()
}

describe('parallel calls', () => {
  test('each may use what the others leave', async () => {
    const { ask, calls } = bench(20_000)
    void ask(1_000)
    void ask(1_000)
    await settled()
    expect(calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([19_000, 20_000 - 1_000 - 4_096 - 1_000])
  })

  test('a call that would find nothing left waits until another has ended', async () => {
    const { ask, calls } = bench(3_000)
    void ask(1_000)
    void ask(1_000)
    await settled()
    expect(calls).toHaveLength(1)
    calls[0]?.end(1_500)
    await settled()
    expect(calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([2_000, 500])
  })

  test('a call that would find no more than its prompt waits, too', async () => {
    const { ask, calls } = bench(1_000 + 4_096 + 1_000)
    void ask(1_000)
    void ask(1_000)
    await settled()
    expect(calls).toHaveLength(1)
  })

  test('an abort ends a waiting call', async () => {
    const { ask, calls } = bench(3_000)
    const controller = new AbortController()
    void ask(1_000)
    void ask(1_000, controller.signal)
    await settled()
    controller.abort()
    await settled()
    expect(calls).toHaveLength(2)
  })
})

test('a single call goes ahead, even if its prompt exceeds what is left', async () => {
  const { ask, calls } = bench(500)
  void ask(1_000)
  await settled()
  expect(calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1])
})

test('a model that reads no prompt is unchanged', () => {
  const model: Model = { name: 'sandbox', readsPrompt: false, respond: async () => expect.unreachable() }
  expect(new TokenReservations(() => 0).guard(model)).toBe(model)
})
