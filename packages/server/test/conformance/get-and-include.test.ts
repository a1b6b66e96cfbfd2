// GET /v1/runs/{id}: exactly the run, in every state, and what `include` adds to it.
import { randomUUID } from 'node:crypto'
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, overCeiling } from '../support/drive.ts'
import { aRun, Caller, expectRefusal, instantPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let driver: Driver
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterAll(() => service.stop())

const got = async (id: string, include?: string) =>
  (await acme.get(`/v1/runs/${id}${include === undefined ? '' : `?include=${include}`}`)).json<RunDetail>()

describe('a run that was got', () => {
  const states: [string, string, (id: string) => unknown][] = [
    ['queued', 'queued', () => undefined],
    ['running', 'running', (id) => driver.toRunning(id)],
    ['awaiting_input', 'running', (id) => driver.toAwaiting(id)],
    ['stalled', 'stalled', (id) => driver.toStalled(id)],
    ['failed', 'failed', (id) => driver.toFailed(id)],
    ['over its limit', 'failed', (id) => driver.toLimitExceeded(id)],
    ['cancelled', 'cancelled', (id) => acme.post(`/v1/runs/${id}/cancel`)],
  ]
  test.each(states)('%s has exactly the fields of a run and the status %s', async (_state, status, move) => {
    const { id } = await acme.newRun({ workspace_id: 'w', run_class: 'short' })
    await move(id)
    const reply = await acme.get(`/v1/runs/${id}`)
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual(aRun({ id, status, workspace_id: 'w', run_class: 'short' }))
  })

  test.each([
    { redacted: false, value: { content: 'Done.', output: { answer: 42 } } },
    { redacted: true, value: { content: 'It is ***.', output: null } },
  ])('succeeded shows its result: %o', async (result) => {
    const { id } = await acme.newRun()
    await driver.toSucceeded(id, result)
    expect(await got(id)).toEqual(aRun({ id, status: 'succeeded', event_payload: result }))
  })

  test('was updated at the time of its last event', async () => {
    const { id, metadata } = await acme.newRun()
    await driver.toStalled(id)
    const run = await got(id)
    expect(run.metadata).toEqual({
      created_at: metadata.created_at,
      updated_at: (await acme.events(id)).at(-1)?.timestamp,
    })
  })
})

describe('include', () => {
  const everything = 'title,awaiting_input,input,signals,plan,limits,usage,failure'
  const noCall = {
    tool: null,
    arguments: null,
    arguments_hash: null,
    why: null,
    has_read: null,
    tool_call_id: null,
    idempotency_key: null,
    arguments_schema: null,
    calls: null,
    approval_schema: null,
    approvers: null,
    approvals: 1,
    not_requester: false,
    reauth: false,
    escalate_to: null,
  }

  test.each([
    ['default', 1_000_000, 86_400, 43_200],
    ['short', 100_000, 900, 300],
    ['long', 10_000_000, 604_800, 259_200],
  ])('limits of class %s are %i tokens, %i s and %i s of waiting', async (run_class, tokens, duration, wait) => {
    const { id } = await acme.newRun({ run_class })
    const limits = { tokens, duration_seconds: duration, signal_timeout_seconds: wait }
    expect(await got(id, 'limits')).toEqual(aRun({ id, run_class, limits }))
  })

  test('everything on a fresh run is null but for its input, limits and usage, and no signals', async () => {
    const { id } = await acme.newRun()
    const usage = { tokens: 0, steps: 0, tool_calls: 0 }
    const input = { input: {}, metadata: {}, attachment_refs: [] }
    const parts = {
      title: null,
      awaiting_input: null,
      input,
      signals: [],
      plan: null,
      limits: expect.any(Object),
      failure: null,
      usage,
    }
    expect(await got(id, everything)).toEqual(aRun({ id, ...parts }))
  })

  test.each(everything.split(','))('%s alone adds nothing else', async (part) => {
    const { id } = await acme.newRun()
    const fields = Object.keys(await got(id, part))
    expect(fields.sort()).toEqual([...Object.keys(aRun()), part].sort())
  })

  test('awaiting_input tells what is waited for, since when and until when', async () => {
    const { id } = await acme.newRun()
    const seq = await driver.toAwaiting(id, { timeoutMs: 60_000 })
    const { awaiting_input } = await got(id, 'awaiting_input')
    const [since, expires_at] = [expect.stringMatching(instantPattern), expect.stringMatching(instantPattern)]
    const asked = { reason_code: 'needs_review', input_kind: 'approval', prompt: 'Pay?', ...noCall }
    const wait = { seq, ...asked, escalates_at: null, decisions: [], since, expires_at }
    expect(awaiting_input).toEqual(wait)
    expect(awaiting_input?.since).toBe((await acme.events(id)).at(-1)?.timestamp)
    expect(Date.parse(awaiting_input?.expires_at ?? '') - Date.parse(awaiting_input?.since ?? '')).toBe(60_000)
  })

  test('awaiting_input has nulls for a kind and a prompt that were not given', async () => {
    const { id } = await acme.newRun()
    await driver.toAwaiting(id, { inputKind: null, prompt: null })
    expect((await got(id, 'awaiting_input')).awaiting_input).toMatchObject({ input_kind: null, prompt: null })
  })

  test('awaiting_input is null again once the run goes on', async () => {
    const { id } = await acme.newRun()
    await driver.toAwaiting(id)
    await acme.post(`/v1/runs/${id}/signal`, { action: 'approve' })
    expect((await got(id, 'awaiting_input')).awaiting_input).toBeNull()
  })

  test('awaiting_input shows the whole call that the answer decides about', async () => {
    const { id } = await acme.newRun()
    const call = { tool: 'pay', why: 'Policy requires it.', arguments: { note: 'x'.repeat(300_000) } }
    await driver.toAwaiting(id, {
      call: { ...call, argumentsHash: 'ab', hasRead: ['private'], callId: 'call_1', idempotencyKey: 'call_0' },
    })
    const ids = { tool_call_id: 'call_1', idempotency_key: 'call_0' }
    const shown = { ...call, ...ids, arguments_hash: 'ab', has_read: ['private'] }
    expect((await got(id, 'awaiting_input')).awaiting_input).toMatchObject(shown)
  })

  test('input shows what the run was created with', async () => {
    const sent = { input: { sum: 4 }, metadata: { from: 'erp' }, attachment_refs: ['s3://a', 's3://b'] }
    const { id } = await acme.newRun(sent)
    expect((await got(id, 'input')).input).toEqual(sent)
  })

  test.each(['approve', 'reject', 'submit_input'])(
    'signals lists %s with who sent it and what was asked',
    async (action) => {
      const { id } = await acme.newRun()
      await driver.toAwaiting(id)
      await acme.post(`/v1/runs/${id}/signal`, { action, payload: { reason: 'because' } })
      const event = (await acme.events(id)).find(({ type }) => /signal_applied|input_received/.test(type))
      const asked = { reason_code: 'needs_review', input_kind: 'approval', prompt: 'Pay?', ...noCall }
      const sender = { key_id: 'key_acme', key_name: 'bootstrap', person: null, roles: [], via: 'api', counted: false }
      const payload = { reason: 'because' }
      const [seq, at] = [event?.seq, event?.timestamp]
      expect((await got(id, 'signals')).signals).toEqual([
        { seq, action, at, ...sender, asked, payload, call: null, calls: null },
      ])
    },
  )

  test('usage counts tokens, finished steps and tool calls', async () => {
    const { id } = await acme.newRun()
    const usage = (eventType: 'task.completed' | 'tool.invoked' | 'tokens.consumed', quantity: number) =>
      ({ key: randomUUID(), eventType, quantity }) as const
    await driver.progress(id, { tokens: 7, usage: [usage('tokens.consumed', 7), usage('task.completed', 1)] })
    await driver.progress(id, { tokens: 5, usage: [usage('tokens.consumed', 5), usage('tool.invoked', 1)] })
    expect((await got(id, 'usage')).usage).toEqual({ tokens: 12, steps: 1, tool_calls: 1 })
  })

  test('failure names the cause and the terminal event', async () => {
    const { id } = await acme.newRun()
    await driver.toFailed(id, 'tool_failed')
    const { failure } = await got(id, 'failure')
    expect(Object.keys(failure ?? {}).sort()).toEqual(['message', 'reason_code', 'seq'])
    expect(failure).toMatchObject({ reason_code: 'tool_failed', seq: (await acme.events(id)).at(-1)?.seq })
  })

  test('failure of a run over its limit points to run.limit_exceeded', async () => {
    const { id } = await acme.newRun()
    await driver.toLimitExceeded(id)
    const last = (await acme.events(id)).at(-1)
    expect(last).toMatchObject({ type: 'run.limit_exceeded', payload: { value: overCeiling } })
    expect((await got(id, 'failure')).failure?.seq).toBe(last?.seq)
  })

  test('failure is null again after a retry', async () => {
    const { id } = await acme.newRun()
    await driver.toFailed(id)
    await acme.post(`/v1/runs/${id}/retry`)
    expect((await got(id, 'failure')).failure).toBeNull()
  })

  test('takes a list in any order, also percent-encoded', async () => {
    const { id } = await acme.newRun()
    expect(await got(id, 'usage%2Climits')).toMatchObject({ usage: {}, limits: {} })
  })
})

describe('a bad query answers 400', () => {
  test.each([
    ['include='],
    ['include=,'],
    ['include=plan,'],
    ['include=nonsense'],
    ['include=plan,nonsense'],
    ['include=Plan'],
    ['include=plan%20'],
    ['include=plan&include=usage'],
    ['include'],
    ['nonsense=1'],
    ['=1'],
    ['request_id=x'],
  ])('?%s', async (query) => {
    const { id } = await acme.newRun()
    expectRefusal(await acme.get(`/v1/runs/${id}?${query}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
  })

  test('before it is known whether there is such a run, and the message names the parameter', async () => {
    const reply = await acme.get('/v1/runs/run_00000000000000000000000000?nonsense_parameter=1')
    expectRefusal(reply, 400, 'RUNS_QUERY_PARAMS_INVALID')
    expect(reply.json().message).toContain('nonsense_parameter')
  })
})

describe('an id that is none answers 404', () => {
  test.each([
    ...[
      'x',
      'run',
      'run_',
      'run_0',
      'run_zzzzzzzzzzzzzzzzzzzzzzzzzz',
      'run_8zzzzzzzzzzzzzzzzzzzzzzzzz',
      '%20',
      '%00',
      '%F0%9F%98%80',
    ],
    ...[
      'mem_01m7f8njhrfe3b4wzz6kye37bb',
      'RUN_01m7f8njhrfe3b4wzz6kye37bb',
      'run_01M7F8NJHRFE3B4WZZ6KYE37BB',
      '0',
      '-1',
      'null',
    ],
    ...['run_01m7f8njhrfe3b4wzz6kye37bb0', 'a%2Fb', '..%2F..', "'%20or%201=1", 'x'.repeat(4_000), crypto.randomUUID()],
  ])('%s', async (id) => {
    expectRefusal(await acme.get(`/v1/runs/${id}`), 404, 'RUN_NOT_FOUND')
  })

  test('and so does the id of a run in capitals, or its uuid', async () => {
    const { id } = await acme.newRun()
    expectRefusal(await acme.get(`/v1/runs/${id.toUpperCase()}`), 404, 'RUN_NOT_FOUND')
    const [row] = await service.database.query<{ id: string }>({ text: 'select id::text from runs limit 1' })
    expectRefusal(await acme.get(`/v1/runs/${row?.id}`), 404, 'RUN_NOT_FOUND')
  })
})
