import { describe, expect, test } from 'vitest'
import {
  type FakeOptions,
  failure,
  fakeExecution,
  fakeModel,
  promptOf,
  reply,
} from '../../../test/support/fake-execution.ts'
import type { WorkerTurn } from '../../agents/worker-loop.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { Message, Model, ModelOutcome } from '../../models/port/model.ts'
import { defaultAgentLimits } from '../context/agent-limits.ts'
import { Compaction } from './compaction.ts'

const contextTokens = 1_000
const limits = { ...defaultAgentLimits, contextTokens }

const turn = (text: string): WorkerTurn => ({
  reply: { text, calls: [{ callId: text, modelCallId: text, name: 'x', input: {} }], model: 'test/m' },
  results: [{ outcome: 'succeeded', output: text }],
})
const turns = ['one', 'two', 'three', 'four', 'five'].map(turn)
const tokens = (count: number): Message[] => {
  const wrapping = JSON.stringify([{ from: 'user', text: '' }]).length
  return [{ from: 'user', text: 'x'.repeat(count * 4 - wrapping) }]
}

function bench(outcomes: readonly ModelOutcome[], options: FakeOptions & { worker?: Model } = {}) {
  const worker = fakeModel('test/worker', ...outcomes)
  const models = { worker: [options.worker ?? worker] }
  const execution = fakeExecution({ parts: { limits }, ...options, models })
  const [task] = execution.tasks() as readonly [Task]
  const compaction = new Compaction(execution.context, task, execution.context.models.worker)
  const shorten = (count: number, some = turns) => compaction.shortenIfNeeded(() => tokens(count), some, 'Do it')
  return { ...execution, worker, compaction, shorten }
}

describe('a conversation', () => {
  test('that fits is unchanged', async () => {
    const { shorten, worker, log, compaction } = bench([])
    expect(await shorten(799)).toBeUndefined()
    expect([worker.requests, log.changes, compaction.shown]).toEqual([[], [], undefined])
  })

  test('at 80 % of the window: all but the last two turns become a summary, journaled and told', async () => {
    const { shorten, worker, log, ledger } = bench([reply('It began.')])
    expect(await shorten(800)).toBeUndefined()
    const prompt = promptOf(worker.requests[0])
    for (const shown of ['The step: Do it', 'one', 'two', 'three']) expect(prompt).toContain(shown)
    expect(prompt).not.toMatch(/four|five/)
    expect(worker.requests[0]).toMatchObject({ role: 'worker', tools: [] })
    expect(log.journal).toEqual([journalEntry('summary', '0/#0:3', { text: 'It began.' })])
    expect(log.decisions).toEqual(['worker continue context_compacted'])
    expect(log.usage).toMatchObject([{ quantity: 10 }])
    expect(ledger.progress.turns.summaryOf('0/#0')).toEqual({ turns: 3, text: 'It began.' })
  })

  test('a later summary continues from the one before', async () => {
    const journal = [journalEntry('summary', '0/#0:2', { text: 'Before that.' })]
    const { shorten, worker, ledger } = bench([reply('All of it.')], { journal })
    await shorten(800)
    const prompt = promptOf(worker.requests[0])
    expect(prompt).toContain('Before that.')
    expect(prompt).toContain('three')
    expect(prompt).not.toMatch(/one|two/)
    expect(ledger.progress.turns.summaryOf('0/#0')).toEqual({ turns: 3, text: 'All of it.' })
  })

  test('of two turns keeps the last one', async () => {
    const { shorten, worker, ledger } = bench([reply('It began.')])
    await shorten(5_000, turns.slice(0, 2))
    expect(promptOf(worker.requests[0])).not.toContain('two')
    expect(ledger.progress.turns.summaryOf('0/#0')?.turns).toBe(1)
  })

  test('without turns shows shorter results instead', async () => {
    const { shorten, compaction, log } = bench([])
    expect(await shorten(5_000, [])).toBeUndefined()
    expect(compaction.shown).toEqual({ resultLength: 2_000, toolResultLength: 2_000 })
    expect(log.changes).toEqual([])
  })

  test('is measured by the window of the model if that is known', async () => {
    const worker = { ...fakeModel('test/worker', reply('s')), contextTokens: 100 }
    const { shorten, log } = bench([], { worker })
    await shorten(79)
    expect(log.changes).toEqual([])
    await shorten(80)
    expect(log.decisions).toEqual(['worker continue context_compacted'])
  })

  test('is not built for a model that does not read it', async () => {
    const worker: Model = { name: 'blind', readsPrompt: false, respond: async () => expect.unreachable() }
    const { compaction } = bench([], { worker })
    expect(await compaction.shortenIfNeeded(() => expect.unreachable(), turns, '')).toBeUndefined()
  })

  test.each([
    [failure({ retryAfterMs: 30_000 }), { kind: 'parked' }],
    [
      failure({ retry: 'never', reasonCode: 'provider_auth' }),
      { kind: 'failed', failure: { reasonCode: 'provider_auth' } },
    ],
  ])('case %#: a failed summary is passed on', async (outcome, end) => {
    const { shorten, ledger } = bench([outcome])
    expect(await shorten(800)).toMatchObject(end)
    expect(ledger.progress.turns.summaryOf('0/#0')).toBeUndefined()
  })
})

describe('after the provider said that the prompt is too long', () => {
  const usage = [{ key: 'tokens:1', eventType: 'tokens.consumed' as const, quantity: 4 }]

  test('all but the last turn become a summary, and results are shown shorter', async () => {
    const { compaction, worker, ledger, log } = bench([reply('It began.')])
    expect(await compaction.shortenHarder(turns, 'Do it', usage)).toEqual({ kind: 'shortened' })
    expect(promptOf(worker.requests[0])).toContain('four')
    expect(ledger.progress.turns.summaryOf('0/#0')).toEqual({ turns: 4, text: 'It began.' })
    expect(compaction.shown).toEqual({ resultLength: 2_000, toolResultLength: 2_000 })
    expect(log.usage.map(({ quantity }) => quantity)).toEqual([4, 10])
  })

  test('without older turns, only results are shortened', async () => {
    const { compaction, log } = bench([])
    expect(await compaction.shortenHarder(turns.slice(0, 1), 'Do it', [])).toEqual({ kind: 'shortened' })
    expect([compaction.shown?.toolResultLength, log.changes]).toEqual([2_000, []])
  })

  test('a second time, nothing can be shortened', async () => {
    const { compaction } = bench([reply('It began.')])
    await compaction.shortenHarder(turns, 'Do it', [])
    expect(await compaction.shortenHarder(turns, 'Do it', usage)).toEqual({ kind: 'cannot_shorten' })
  })
})
