import { describe, expect, test } from 'vitest'
import { finish } from '../../domain/finish.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { contentDelta, coordinationDecision, stepDone } from '../../runs/step-events.ts'
import type { RunChange } from '../../store/run-log/run-change.ts'
import { scrubChange as scrubInParts } from './scrub-change.ts'

const scrubChange = <C extends Partial<RunChange>>(secrets: SecretKeeper, change: C): C =>
  finish(scrubInParts(secrets, change))

const document = { input: { password: 'correct horse', pin: 1234, word: 'failed' }, metadata: {} }
const tags = ['password', 'pin', 'word'].map((name) => ({ path: `$.input.${name}`, classification: 'pii' as const }))
const secrets = SecretKeeper.find(document, tags) as SecretKeeper
const of = { requestId: 'req_1', taskId: 'task_1' }

describe('events', () => {
  test('lose their secrets, and are marked as redacted', () => {
    const { events } = scrubChange(secrets, {
      events: [contentDelta(of, 'it is correct horse'), contentDelta(of, 'fine')],
    })
    expect(events?.[0]).toMatchObject({ redacted: true, payload: { content_delta: 'it is ***', task_id: 'task_1' } })
    expect(events?.[1]).not.toHaveProperty('redacted')
  })

  test('keep protocol values, even if they look like a secret', () => {
    const done = stepDone(of, { content: 'failed', outcome: 'fail_run', reasonCode: 'provider_error' })
    const { events } = scrubChange(secrets, { events: [done] })
    expect(events?.[0]?.payload).toMatchObject({ content: '***', outcome: 'fail_run', reason_code: 'provider_error' })
  })

  test('keep the judge’s decision, but not the secret in its reason', () => {
    const said = { decision: 'stop', reason: 'The password is correct horse.' } as const
    const event = coordinationDecision('req_1', { decision: 'stop', reasonCode: 'all_done', role: 'judge', said })
    expect(scrubChange(secrets, { events: [event] }).events?.[0]?.payload).toMatchObject({
      decision_type: 'stop',
      judge_decision: { decision: 'stop', reason: 'The password is ***.' },
    })
  })

  test('an unknown reason code is scrubbed', () => {
    const done = stepDone(of, { content: '', outcome: 'fail_run', reasonCode: 'correct horse' })
    expect(scrubChange(secrets, { events: [done] }).events?.[0]?.payload).toMatchObject({ reason_code: '***' })
  })
})

describe('the journal', () => {
  const scrubbed = (entry: { key: string; body: unknown }) => scrubChange(secrets, { journal: [entry] }).journal?.[0]

  test('keeps keys, ids and orders', () => {
    const done = {
      stepId: 'failed',
      kind: 'agent',
      content: 'failed',
      output: { n: 1234 },
      redacted: false,
      order: 1234,
    }
    expect(scrubbed(journalEntry('done', '0/failed', done as never))).toEqual({
      key: 'done:0/failed',
      body: { ...done, content: '***', output: { n: '***' } },
    })
  })

  test('of a reply keeps the names and ids of its calls, but not their secret arguments', () => {
    const call = { callId: 'c', modelCallId: 'failed', name: 'failed', input: { n: 1234 } }
    const body = scrubbed(
      journalEntry('reply', '0/a:0', { text: 'correct horse', calls: [call], model: 'test/m' }),
    )?.body
    expect(body).toMatchObject({ text: '***', calls: [{ ...call, input: { n: '***' } }] })
  })

  test('of a result keeps the outcome', () => {
    const body = scrubbed(journalEntry('result', 'c', { outcome: 'failed', message: 'failed' }))?.body
    expect(body).toEqual({ outcome: 'failed', message: '***' })
  })

  test.each([
    journalEntry('summary', '0/a:2', { text: 'correct horse' }),
    journalEntry('next', '0/#0', { instruction: 'correct horse' }),
    journalEntry('await', '0/a', { reasonCode: 'x', inputKind: null, prompt: 'correct horse', isLast: false }),
  ])('case %#: texts of models are scrubbed', (entry) => {
    expect(JSON.stringify(scrubbed(entry))).not.toContain('horse')
    expect(JSON.stringify(scrubbed(entry))).toContain('***')
  })
})

describe('a person', () => {
  const wait = { key: 'k', inputKind: null, timeoutMs: 1, reasonCode: 'approval_required' }

  test('sees neither a secret nor a placeholder', () => {
    const asked = (prompt: string | null) => scrubChange(secrets, { wait: { ...wait, prompt } }).wait?.prompt
    expect(asked('Is it {{secret:$.input.password}}?')).toBe('Is it ***?')
    expect(asked('Is it correct horse?')).toBe('Is it ***?')
    expect(asked(null)).toBeNull()
  })

  test('sees all arguments of a call, with the secrets masked wherever they are', () => {
    const ids = { callId: 'call_1', idempotencyKey: 'call_0' }
    const call = {
      ...ids,
      tool: 'send',
      argumentsHash: 'ff',
      why: 'Policy requires it.',
      hasRead: ['private' as const],
    }
    const base64 = btoa('correct horse').replaceAll('=', '')
    const hidden = ['{{secret:$.input.password}}', 'correct horse', base64, 'correct%20horse', 1234]
    const json = JSON.stringify({ body: 'it is correct horse' })
    const input = { list: hidden, 'correct horse': [{ json, plain: 'x'.repeat(1_000) }] }
    const asked = scrubChange(secrets, { wait: { ...wait, prompt: null, call: { ...call, arguments: input } } }).wait
    const stars = hidden.map(() => '***')
    const shown = { list: stars, '***': [{ json: '{"body":"it is ***"}', plain: 'x'.repeat(1_000) }] }
    expect(asked?.call).toEqual({ ...call, arguments: shown })
  })
})

test('results and memories are scrubbed, and those without a secret are unchanged', () => {
  const memory = {
    id: 'm',
    kind: 'episode',
    harness: true,
    title: 'correct horse',
    content: 'x',
    tags: ['failed'],
  } as const
  const change = scrubChange(secrets, { memory, result: { redacted: false, value: { a: 'fine' } } })
  expect(change.memory).toEqual({ ...memory, title: '***', tags: ['***'] })
  expect(change.result).toEqual({ redacted: false, value: { a: 'fine' } })
  expect(scrubChange(secrets, { result: { redacted: false, value: 'failed' } }).result).toEqual({
    redacted: true,
    value: '***',
  })
})

describe('the journal', () => {
  const scrubbed = (entry: ReturnType<typeof journalEntry>) =>
    scrubChange(secrets, { journal: [entry] }).journal?.[0]?.body

  test('loses the secrets in a reason, an instruction and a reply', () => {
    expect(scrubbed(journalEntry('replan', '1', { reason: 'it is correct horse' }))).toEqual({ reason: 'it is ***' })
    expect(scrubbed(journalEntry('next', '0/a', { instruction: 'use correct horse' }))).toEqual({
      instruction: 'use ***',
    })
  })

  test('keeps times, even if they look like a secret', () => {
    const times = { firstAtMs: 1234, dueAtMs: 1234 }
    expect(scrubbed(journalEntry('retry', 'a:1', times))).toEqual(times)
    const sleep = { sinceMs: 1234, dueAtMs: 1234 }
    expect(scrubbed(journalEntry('sleep', 'call_1', sleep))).toEqual(sleep)
  })
})

test('the service’s own field names stay, even if they look like a secret', () => {
  const words = ['Content', 'OUTPUT', 'Input', 'Message', 'Title', 'Preview', 'Reason', 'calls', 'text', 'instruction']
  const wordy = SecretKeeper.find({ input: { words }, metadata: {} }, [
    { path: '$.input.words', classification: 'pii' },
  ]) as SecretKeeper
  const call = { callId: 'c', modelCallId: 'm', name: 'n', input: { output: 1 } }
  const plan = { steps: [{ id: 'a', instruction: 'x', await_input: { prompt: 'p' } }] }
  const change = scrubChange(wordy, {
    events: [stepDone(of, { content: 'my content', outcome: 'succeeded' })],
    journal: [
      journalEntry('result', 'c', { outcome: 'succeeded', output: { input: 'x' } }),
      journalEntry('reply', '0/a:0', { text: 'x', calls: [call], model: 'm' }),
      { key: 'plan:1', body: plan },
    ],
    result: { redacted: false, value: { content: 'x', output: { title: 1 } } },
  })
  expect(change.events?.[0]?.payload).toMatchObject({ content: 'my ***', outcome: 'succeeded' })
  expect(change.journal?.map(({ body }) => body)).toEqual([
    { outcome: 'succeeded', output: { '***': 'x' } },
    { text: 'x', calls: [{ ...call, input: { '***': 1 } }], model: 'm' },
    plan,
  ])
  expect(change.result?.value).toEqual({ content: 'x', output: { '***': 1 } })
})
