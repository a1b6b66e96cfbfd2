// POST /v1/runs/{id}/signal: what each action does, and what is refused.
import type { Event, RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { anEvent, Caller, expectRefusal } from '../support/http.ts'
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

const signal = (id: string, body: unknown, headers = {}) => acme.post(`/v1/runs/${id}/signal`, body, headers)

async function waitingRun(): Promise<{ id: string; seq: number }> {
  const { id } = await acme.newRun()
  return { id, seq: await driver.toAwaiting(id) }
}

const after = (events: Event[], seq: number) => events.filter((event) => event.seq > seq)

describe('a signal', () => {
  test.each([
    ['approve', 'run.signal_applied'],
    ['submit_input', 'run.input_received'],
  ])('%s sets the run going and writes %s, nothing else', async (action, type) => {
    const { id, seq } = await waitingRun()
    const reply = await signal(id, { action, payload: { any: 'data' } })
    expect(reply.status).toBe(200)
    const request_id = reply.headers['x-request-id']
    expect(reply.json()).toEqual({ ok: true, request_id })
    expect(after(await acme.events(id), seq)).toEqual([anEvent(seq + 1, type, { request_id, action })])
    expect((await acme.run(id)).status).toBe('running')
  })

  test('reject fails the run: run.signal_applied, then run.worker.failed with signal_rejected', async () => {
    const { id, seq } = await waitingRun()
    const reply = await signal(id, { action: 'reject', payload: { reason: 'too dear' } })
    const request_id = reply.headers['x-request-id']
    expect(reply.json()).toEqual({ ok: true, request_id })
    const failed = { request_id, from_status: 'running', to_status: 'failed', reason_code: 'signal_rejected' }
    expect(after(await acme.events(id), seq)).toEqual([
      anEvent(seq + 1, 'run.signal_applied', { request_id, action: 'reject' }),
      anEvent(seq + 2, 'run.worker.failed', failed),
    ])
    expect((await acme.run(id)).status).toBe('failed')
  })

  describe('about a call whose outcome is not known', () => {
    const call = { error: 'Card declined.' }
    const unknown = { reasonCode: 'tool_outcome_unknown' }
    const waiting = async (wait = {}) => {
      const { id } = await acme.newRun()
      return { id, seq: await driver.toAwaiting(id, wait) }
    }

    test('can say that it failed', async () => {
      const { id } = await waiting(unknown)
      expect((await signal(id, { action: 'submit_input', call })).status).toBe(200)
      const { signals } = (await acme.get(`/v1/runs/${id}?include=signals`)).json<RunDetail>()
      expect(signals).toMatchObject([{ action: 'submit_input', payload: null, call }])
    })

    test('is the same signal only with the same call', async () => {
      const { id } = await waiting(unknown)
      const send = (error: string) => signal(id, { action: 'submit_input', call: { error }, idempotency_key: 'failed' })
      expect((await send('Card declined.')).status).toBe(200)
      expect((await send('Card declined.')).status).toBe(200)
      expectRefusal(await send('Out of stock.'), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    })

    test('reaches no other wait', async () => {
      const { id, seq } = await waiting()
      expectRefusal(await signal(id, { action: 'submit_input', call }), 400, 'SIGNAL_PAYLOAD_INVALID')
      const other = { action: 'submit_input', call, await_seq: seq + 1 }
      expectRefusal(await signal(id, other), 409, 'RUN_NOT_AWAITING_INPUT')
      expect((await acme.events(id)).at(-1)?.type).toBe('run.awaiting_input')
    })

    test('of a run that does not wait is refused as any signal', async () => {
      const { id } = await acme.newRun()
      expectRefusal(await signal(id, { action: 'submit_input', call }), 409, 'RUN_NOT_AWAITING_INPUT')
    })

    test.each([
      ['with approve', { action: 'approve', call }],
      ['with reject', { action: 'reject', call }],
      ['with a payload', { action: 'submit_input', call, payload: null }],
      ['without an error', { action: 'submit_input', call: {} }],
      ['with an empty error', { action: 'submit_input', call: { error: '' } }],
      ['with a long error', { action: 'submit_input', call: { error: 'x'.repeat(1_001) } }],
      ['with a field that is not known', { action: 'submit_input', call: { ...call, result: 1 } }],
      ['null', { action: 'submit_input', call: null }],
    ])('is refused %s', async (_, body) => {
      const { id } = await waiting(unknown)
      expectRefusal(await signal(id, body), 400, 'SIGNAL_PAYLOAD_INVALID')
    })
  })

  test('reject can be followed by a retry', async () => {
    const { id } = await waitingRun()
    await signal(id, { action: 'reject' })
    expect((await acme.post(`/v1/runs/${id}/retry`)).json()).toMatchObject({ status: 'queued' })
  })

  test('keeps its payload out of the events', async () => {
    const { id } = await waitingRun()
    await signal(id, { action: 'submit_input', payload: { name: 'canary' } })
    expect(JSON.stringify(await acme.events(id))).not.toContain('canary')
  })

  test.each([
    ['an object', { a: { b: [] } }],
    ['an empty object', {}],
    ['null', null],
    ['text', 'x'],
    ['a number', 1.5],
    ['true', true],
    ['a list', [1, 'x', null]],
    ['nothing', undefined],
  ])('may carry %s', async (_case, payload) => {
    for (const action of ['approve', 'reject', 'submit_input']) {
      const { id } = await waitingRun()
      expect((await signal(id, { action, payload })).status).toBe(200)
    }
  })

  test('may carry 262,144 bytes and not one more', async () => {
    const { id } = await waitingRun()
    const payload = 'ü'.repeat(131_071)
    expectRefusal(await signal(id, { action: 'approve', payload: `${payload}x` }), 400, 'SIGNAL_PAYLOAD_INVALID')
    expect((await signal(id, { action: 'approve', payload })).status).toBe(200)
  })

  test('ignores what stands in the query, since it is a POST', async () => {
    const { id } = await waitingRun()
    expect((await acme.post(`/v1/runs/${id}/signal?action=x&action=`, { action: 'approve' })).status).toBe(200)
  })
})

describe('a run that does not wait refuses every signal', () => {
  const moves: [string, (id: string) => unknown][] = [
    ['queued', () => undefined],
    ['running', (id) => driver.toRunning(id)],
    ['stalled', (id) => driver.toStalled(id)],
    ['succeeded', (id) => driver.toSucceeded(id)],
    ['failed', (id) => driver.toFailed(id)],
    ['cancelled', (id) => acme.post(`/v1/runs/${id}/cancel`)],
    ['going on after its wait', (id) => driver.toAwaiting(id).then(() => signal(id, { action: 'approve' }))],
  ]
  test.each(moves)('when it is %s', async (_state, move) => {
    const { id } = await acme.newRun()
    await move(id)
    const before = await acme.events(id)
    for (const action of ['approve', 'reject', 'submit_input']) {
      expectRefusal(await signal(id, { action }), 409, 'RUN_NOT_AWAITING_INPUT')
    }
    expect(await acme.events(id)).toEqual(before)
  })

  test('and of twenty at once all but one are refused', async () => {
    const { id, seq } = await waitingRun()
    const replies = await Promise.all(Array.from({ length: 20 }, () => signal(id, { action: 'approve' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect(after(await acme.events(id), seq)).toHaveLength(1)
  })

  test('when it was cancelled while it waited', async () => {
    const { id } = await waitingRun()
    await acme.post(`/v1/runs/${id}/cancel`)
    expectRefusal(await signal(id, { action: 'approve' }), 409, 'RUN_NOT_AWAITING_INPUT')
  })
})

describe('await_seq', () => {
  test('names the wait that is answered', async () => {
    const { id, seq } = await waitingRun()
    expect((await signal(id, { action: 'approve', await_seq: seq })).status).toBe(200)
  })

  test('of an earlier wait, or of none, is a conflict', async () => {
    const { id, seq } = await waitingRun()
    await signal(id, { action: 'approve', await_seq: seq })
    const later = await driver.toAwaiting(id)
    for (const await_seq of [seq, later - 1, later + 1, 1]) {
      expectRefusal(await signal(id, { action: 'approve', await_seq }), 409, 'RUN_NOT_AWAITING_INPUT')
    }
    expect((await signal(id, { action: 'approve', await_seq: later })).status).toBe(200)
  })

  test.each([2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER])(
    '%i is a conflict, however large',
    async (await_seq) => {
      const { id } = await waitingRun()
      expectRefusal(await signal(id, { action: 'approve', await_seq }), 409, 'RUN_NOT_AWAITING_INPUT')
    },
  )

  test.each([['3'], [1.5], [null], [true], [[]]])('%o is no seq', async (await_seq) => {
    const { id } = await waitingRun()
    expectRefusal(await signal(id, { action: 'approve', await_seq }), 400, 'SIGNAL_PAYLOAD_INVALID')
  })
})

describe('a malformed signal answers 400', () => {
  const action = 'approve'
  const bodies: [string, unknown][] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', []],
    ['text', '"approve"'],
    ['an empty object', {}],
    ['no action', { payload: {} }],
    ['an unknown action', { action: 'accept' }],
    ['an action in capitals', { action: 'APPROVE' }],
    ['an empty action', { action: '' }],
    ['a null action', { action: null }],
    ['a list of actions', { action: ['approve'] }],
    ['an unknown field', { action, comment: 'x' }],
    ['a null key', { action, idempotency_key: null }],
    ['an empty key', { action, idempotency_key: '' }],
    ['a key of 256 characters', { action, idempotency_key: 'k'.repeat(256) }],
    ['a key beyond ASCII', { action, idempotency_key: 'é' }],
    ['a key with a line break', { action, idempotency_key: 'a\nb' }],
    ['a key that is a number', { action, idempotency_key: 1 }],
    ['form data', 'action=approve'],
  ]
  test.each(bodies)('%s', async (_case, body) => {
    const { id, seq } = await waitingRun()
    expectRefusal(await signal(id, body), 400, 'SIGNAL_PAYLOAD_INVALID')
    expect(after(await acme.events(id), seq)).toEqual([])
  })

  test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', ';', ''])(
    'no JSON as %s',
    async (type) => {
      const { id } = await waitingRun()
      expectRefusal(await signal(id, '<approve/>', { 'content-type': type }), 400, 'SIGNAL_PAYLOAD_INVALID')
    },
  )

  test('no body at all', async () => {
    const { id } = await waitingRun()
    expectRefusal(await acme.post(`/v1/runs/${id}/signal`), 400, 'SIGNAL_PAYLOAD_INVALID')
  })

  test.each([['x'.repeat(256)], ['é'], ['a\tb'], ['']])('the header idempotency-key: %s', async (key) => {
    const { id } = await waitingRun()
    expectRefusal(await signal(id, { action }, { 'idempotency-key': key }), 400, 'SIGNAL_PAYLOAD_INVALID')
  })

  test('before it is known whether there is such a run, or whether it waits', async () => {
    const { id } = await acme.newRun()
    for (const unknown of [id, 'nonsense', 'run_00000000000000000000000000']) {
      expectRefusal(await signal(unknown, { action: 'x' }), 400, 'SIGNAL_PAYLOAD_INVALID')
    }
  })

  test('and the message names the field', async () => {
    const { id } = await waitingRun()
    expect((await signal(id, { action, nonsense_field: 1 })).json().message).toContain('nonsense_field')
    expect((await signal(id, { action: 'accept' })).json().message).toContain('action')
  })
})

test.each(['nonsense', 'run_00000000000000000000000000'])('a signal to %s answers 404', async (id) => {
  expectRefusal(await signal(id, { action: 'approve' }), 404, 'RUN_NOT_FOUND')
})
