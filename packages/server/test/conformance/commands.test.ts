// Cancel, retry and resume: from which states they lead where, what they write, and what refuses them.
import type { Run } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, rowCounts } from '../support/drive.ts'
import { anEvent, aRun, Caller, expectRefusal } from '../support/http.ts'
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

const moves: Record<string, (id: string) => Promise<unknown>> = {
  queued: async () => undefined,
  running: (id) => driver.toRunning(id),
  awaiting_input: (id) => driver.toAwaiting(id),
  stalled: (id) => driver.toStalled(id),
  succeeded: (id) => driver.toSucceeded(id),
  failed: (id) => driver.toFailed(id),
  'failed by a limit': (id) => driver.toLimitExceeded(id),
  cancelled: (id) => acme.post(`/v1/runs/${id}/cancel`),
}

async function runThatIs(state: string): Promise<string> {
  const { id } = await acme.newRun({ subject_id: 's' })
  await moves[state]?.(id)
  return id
}

const order = (id: string, command: string) => acme.post(`/v1/runs/${id}/${command}`)

const allowed: [command: string, state: string, from: string, to: string, event: string, more: object][] = [
  ['cancel', 'queued', 'queued', 'cancelled', 'run.cancelled', {}],
  ['cancel', 'running', 'running', 'cancelled', 'run.cancelled', {}],
  ['cancel', 'awaiting_input', 'running', 'cancelled', 'run.cancelled', {}],
  ['cancel', 'stalled', 'stalled', 'cancelled', 'run.cancelled', {}],
  ['retry', 'failed', 'failed', 'queued', 'run.worker.retry_scheduled', { reason_code: null }],
  ['retry', 'failed by a limit', 'failed', 'queued', 'run.worker.retry_scheduled', { reason_code: null }],
  ['resume', 'stalled', 'stalled', 'queued', 'run.resumed', {}],
]

describe.each(allowed)('%s of a run that is %s', (command, state, from, to, event, more) => {
  test(`answers 200 with exactly the run, now ${to}`, async () => {
    const id = await runThatIs(state)
    const reply = await order(id, command)
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual(aRun({ id, status: to, subject_id: 's' }))
    const { request_id, ...run } = reply.json<Run>()
    expect(await acme.run(id)).toMatchObject(run)
    expect(request_id).toBe(reply.headers['x-request-id'])
  })

  test(`writes ${event} with the request's id and nothing else`, async () => {
    const id = await runThatIs(state)
    const before = await acme.events(id)
    const { request_id, metadata } = (await order(id, command)).json<Run>()
    const value = { request_id, from_status: from, to_status: to, ...more }
    const written = (await acme.events(id)).slice(before.length)
    expect(written).toEqual([anEvent(before.length + 1, event, value)])
    expect(metadata.updated_at).toBe(written[0]?.timestamp)
  })
})

const states = Object.keys(moves)
const refused = ['cancel', 'retry', 'resume'].flatMap((command) =>
  states
    .filter(
      (state) =>
        !allowed.some(([allowedCommand, allowedState]) => allowedCommand === command && allowedState === state),
    )
    .map((state): [string, string] => [command, state]),
)

test.each(refused)('%s of a run that is %s is a conflict and writes nothing', async (command, state) => {
  const id = await runThatIs(state)
  const before = [await acme.run(id), await acme.events(id)].map((part) => JSON.stringify(part).replace(/req_\w+/g, ''))
  expectRefusal(await order(id, command), 409, 'RUN_STATE_CONFLICT')
  const after = [await acme.run(id), await acme.events(id)].map((part) => JSON.stringify(part).replace(/req_\w+/g, ''))
  expect(after).toEqual(before)
})

test.each(['cancel', 'retry', 'resume'])('%s of an unknown run answers 404', async (command) => {
  expectRefusal(await order('run_00000000000000000000000000', command), 404, 'RUN_NOT_FOUND')
  expectRefusal(await order('nonsense', command), 404, 'RUN_NOT_FOUND')
})

test.each([
  ['cancel', 'queued'],
  ['retry', 'failed'],
  ['resume', 'stalled'],
])('of twenty times %s at once exactly one is obeyed', async (command, state) => {
  const id = await runThatIs(state)
  const before = (await acme.events(id)).length
  const replies = await Promise.all(Array.from({ length: 20 }, () => order(id, command)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  expect(await acme.events(id)).toHaveLength(before + 1)
})

describe('the body of a command is ignored', () => {
  const bodies: [string, unknown, object][] = [
    ['an object', { reason: 'x' }, {}],
    ['no JSON', '{', {}],
    ['text', 'please', { 'content-type': 'text/plain' }],
    ['no content type', 'please', { 'content-type': undefined }],
    ['a strange content type', 'please', { 'content-type': 'x' }],
    ['hostile JSON', '{"__proto__":"\\u0000"}', {}],
    ['bytes', Buffer.from('ff00fe', 'hex'), {}],
    ['an empty text', '', {}],
    ['more than the transport limit', 'x'.repeat(5_000_000), {}],
  ]
  test.each(bodies)('%s', async (_case, body, headers) => {
    const { id } = await acme.newRun()
    const reply = await acme.post(`/v1/runs/${id}/cancel`, body, headers as Record<string, string>)
    expect(reply.status, reply.text).toBe(200)
  })

  test('and so is its query', async () => {
    const { id } = await acme.newRun()
    expect((await acme.post(`/v1/runs/${id}/cancel?force=1&force=2&x=`)).status).toBe(200)
  })
})

test('a run that fails, is retried, stalls, is resumed and cancelled tells its life without a gap', async () => {
  const { id } = await acme.newRun()
  await driver.toFailed(id)
  await order(id, 'retry')
  await driver.toStalled(id, 'lease_lost')
  await order(id, 'resume')
  await order(id, 'cancel')
  const events = await acme.events(id)
  const types = ['run.created', 'run.worker.started', 'run.worker.failed', 'run.worker.retry_scheduled']
  const later = ['run.worker.started', 'run.worker.stalled', 'run.resumed', 'run.cancelled']
  expect(events.map(({ type }) => type)).toEqual([...types, ...later])
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(events.map(({ timestamp }) => timestamp)).toEqual(events.map(({ timestamp }) => timestamp).sort())
})

test('a command meters nothing', async () => {
  const { id } = await acme.newRun()
  const { usage_records } = await rowCounts(service.database)
  await order(id, 'cancel')
  expect((await rowCounts(service.database)).usage_records).toBe(usage_records)
})
