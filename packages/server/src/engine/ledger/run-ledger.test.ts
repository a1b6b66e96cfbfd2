import { describe, expect, test, vi } from 'vitest'
import { applied, fakeExecution, runId } from '../../../test/support/fake-execution.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import { RunLost } from './run-ledger.ts'
import type { TracedCall } from './turn-chains.ts'

const tokens = (key: string, quantity: number): NewUsage => ({ key, eventType: 'tokens.consumed', quantity })
const fail = (attempt: number) => journalEntry('fail', '0/a:0', { attempt })

/** Waits until everything that was recorded without waiting is written. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a change', () => {
  test('is written with the worker’s fence, as progress by default', async () => {
    const { ledger, log } = fakeExecution({ run: { workerId: 'me' } })
    await ledger.apply({})
    await ledger.apply({ trigger: 'hand_over', readyInMs: 0 })
    expect(log.changes).toMatchObject([
      { runId, customerId: 'acme', epoch: 3, workerId: 'me', trigger: 'progress', tokens: 0 },
      { trigger: 'hand_over', readyInMs: 0 },
    ])
  })

  test('updates the progress once it is applied', async () => {
    const { ledger } = fakeExecution()
    await ledger.apply({ journal: [fail(1)] })
    expect(ledger.progress.failuresOf('0/a').total).toBe(1)
  })

  test('that is refused does not update the progress, and the run is lost', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = () => ({ outcome: 'lease_lost', was: 'running' })
    await expect(ledger.apply({ journal: [fail(1)] })).rejects.toThrow(RunLost)
    expect(ledger.progress.failuresOf('0/a').total).toBe(0)
  })

  test('contains no secrets', async () => {
    const document = { input: { pin: 'correct horse' }, metadata: {} }
    const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }])
    const { ledger, log } = fakeExecution({ run: { ...document, secrets } })
    await ledger.apply({ result: { redacted: false, value: 'it is correct horse' } })
    await ledger.record({ journal: [journalEntry('summary', '0/a:1', { text: 'correct horse' })] })
    expect(JSON.stringify(log.changes)).not.toContain('horse')
    expect(ledger.progress.turns.summaryOf('0/a')?.text).toBe('***')
    expect(log.changes[0]?.result).toEqual({ redacted: true, value: 'it is ***' })
  })
})

describe('turns', () => {
  const traced: TracedCall = {
    role: 'worker',
    callKey: '0/a:0',
    attempt: 1,
    leftMs: 5,
    messages: [{ from: 'user', text: 'hello' }],
    body: {
      try: 1,
      model: 'test/m',
      prompt_version: '1',
      tools: [],
      parameters: {},
      output_schema: false,
      outcome: 'aborted',
      reply: null,
      failure: null,
      usage: null,
      first_token_ms: null,
      duration_ms: 1,
    },
  }
  const written = { callKey: '0/a:0', epoch: 3, messages: [{ from: 'user', text: 'hello' }] }

  test('are recorded with the next change, once', async () => {
    const { ledger, log } = fakeExecution()
    await ledger.trace(traced)
    await ledger.apply({})
    await ledger.apply({})
    await ledger.flushUsage()
    expect(log.changes).toMatchObject([{ turns: [written] }, {}])
    expect(log.changes[1]).not.toHaveProperty('turns')
  })

  test('that no change has recorded are settled at the end', async () => {
    const { ledger, log } = fakeExecution()
    await ledger.trace(traced)
    await ledger.flushUsage()
    await ledger.flushUsage()
    expect(log.changes).toMatchObject([{ trigger: 'meter', epoch: null, turns: [written] }])
  })

  test('of a refused change are recorded without it', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = ({ trigger }) => (trigger === 'meter' ? applied : { outcome: 'lease_lost', was: 'running' })
    await ledger.trace(traced)
    await expect(ledger.apply({})).rejects.toThrow(RunLost)
    expect(log.changes[1]).toMatchObject({ trigger: 'meter', turns: [written] })
  })

  test('of a change that did not reach the database are recorded when it does', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = ({ trigger }) => (trigger === 'meter' ? applied : Promise.reject(new Error('away')))
    await ledger.trace(traced)
    await expect(ledger.apply({})).rejects.toThrow('away')
    await ledger.flushUsage()
    expect(log.changes.at(-1)).toMatchObject({ trigger: 'meter', turns: [written] })
  })
})

describe('recoveries', () => {
  test('are counted from zero after a step has ended', async () => {
    const { ledger } = fakeExecution({ run: { recoveries: 2 } })
    await ledger.apply({})
    expect(ledger.recoveries).toBe(2)
    await ledger.apply({ resetsRecoveries: true })
    expect(ledger.recoveries).toBe(0)
  })
})

describe('tokens', () => {
  test('count as soon as they are used, and only once', async () => {
    const { ledger, log } = fakeExecution({ run: { tokens: 100 } })
    const usage = [tokens('a', 10)]
    ledger.spend(usage)
    expect(ledger.tokens).toBe(110)
    await ledger.apply({ usage })
    expect(ledger.tokens).toBe(110)
    expect(log.changes[0]).toMatchObject({ tokens: 10, usage })
  })

  test('other usage is recorded, but does not count as tokens', async () => {
    const { ledger, log } = fakeExecution()
    await ledger.apply({ usage: [{ key: 't', eventType: 'tool.invoked', quantity: 1 }] })
    expect(log.changes[0]).toMatchObject({ tokens: 0, usage: [{ key: 't' }] })
    expect(ledger.tokens).toBe(0)
  })

  test('of aborted calls count at once and are recorded with the next change', async () => {
    const { ledger, log } = fakeExecution()
    ledger.owe(tokens('a', 7))
    expect(ledger.tokens).toBe(7)
    await ledger.apply({ usage: [tokens('b', 1)] })
    await ledger.apply({})
    expect(log.changes.map((change) => change.tokens)).toEqual([8, 0])
    expect(ledger.tokens).toBe(8)
  })

  test('of a refused change are still metered', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = ({ trigger }) => (trigger === 'meter' ? applied : { outcome: 'wrong_state', was: 'cancelled' })
    ledger.owe(tokens('a', 7))
    await expect(ledger.apply({ usage: [tokens('b', 1)] })).rejects.toThrow(RunLost)
    expect(log.changes[1]).toEqual({
      runId,
      customerId: 'acme',
      epoch: null,
      trigger: 'meter',
      tokens: 8,
      usage: [tokens('b', 1), tokens('a', 7)],
    })
  })

  test('of aborted calls are metered, although the change that had them did not reach the database', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = () => Promise.reject(new Error('away'))
    ledger.owe(tokens('a', 7))
    const usage = [tokens('b', 1)]
    ledger.spend(usage)
    await expect(ledger.apply({ usage })).rejects.toThrow('away')
    expect(ledger.tokens).toBe(8)
    log.answer = () => applied
    await ledger.flushUsage()
    expect(log.changes.at(-1)).toMatchObject({ trigger: 'meter', tokens: 8, usage: [tokens('a', 7), tokens('b', 1)] })
  })

  test('are metered one by one if some of them are recorded: the answer to their commit was lost', async () => {
    const { ledger, log } = fakeExecution()
    const recorded = new Set(['a'])
    log.answer = ({ usage = [] }) => {
      if (usage.some(({ key }) => recorded.has(key))) return { outcome: 'duplicate', was: 'running' }
      for (const { key } of usage) recorded.add(key)
      return applied
    }
    ledger.spend([tokens('a', 5), tokens('b', 2), tokens('c', 1)])
    await ledger.flushUsage()
    expect([...recorded]).toEqual(['a', 'b', 'c'])
    expect(log.changes.map((change) => change.tokens)).toEqual([8, 5, 2, 1])
  })

  test('that no change has recorded are settled at the end, once', async () => {
    const { ledger, log } = fakeExecution()
    ledger.spend([tokens('a', 5)])
    ledger.owe(tokens('b', 2))
    await ledger.flushUsage()
    await ledger.flushUsage()
    expect(log.changes).toMatchObject([{ trigger: 'meter', epoch: null, tokens: 7 }])
  })
})

describe('a record without waiting', () => {
  test('updates the progress at once, and is written in order', async () => {
    const { ledger, log } = fakeExecution()
    const releases: (() => void)[] = []
    log.answer = () => new Promise((resolve) => releases.push(() => resolve(applied)))
    await ledger.record({ journal: [fail(1)] })
    expect(ledger.progress.failuresOf('0/a').total).toBe(1)
    await ledger.record({ trigger: 'park' })
    expect(log.changes.map(({ trigger }) => trigger)).toEqual(['progress', 'park'])
    for (const release of releases) release()
  })

  test('reports its failure, and stops the next one', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = () => ({ outcome: 'lease_lost', was: 'running' })
    const heard = vi.fn()
    ledger.onFailure = heard
    await ledger.record({})
    await settled()
    expect(heard).toHaveBeenCalledOnce()
    expect(ledger.failure).toBeInstanceOf(RunLost)
    await expect(ledger.record({})).rejects.toThrow(RunLost)
    expect(log.changes).toHaveLength(1)
  })

  test('that failed stops a change that is waited for, but not the end of the run', async () => {
    const { ledger, log } = fakeExecution()
    log.answer = () => Promise.reject(new Error('away'))
    await ledger.record({})
    await settled()
    log.answer = () => applied
    await expect(ledger.apply({ journal: [fail(1)] })).rejects.toThrow('away')
    expect(log.changes).toHaveLength(1)
    await ledger.apply({ trigger: 'fail' })
    expect(log.changes).toHaveLength(2)
  })

  test('waits when too many records are in flight', async () => {
    const { ledger, log } = fakeExecution()
    const releases: (() => void)[] = []
    log.answer = () => new Promise((resolve) => releases.push(() => resolve(applied)))
    for (let count = 0; count < 16; count += 1) await ledger.record({})
    let isDown = false
    const last = ledger.record({}).then(() => {
      isDown = true
    })
    await settled()
    expect([isDown, log.changes.length]).toEqual([false, 16])
    for (const release of releases.splice(0)) release()
    await last
    expect(log.changes).toHaveLength(17)
  })
})
