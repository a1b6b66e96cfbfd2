// Nothing of a customer can be seen, changed or even suspected by another: a foreign id answers like a random one.
import type { KeyList, KeyWithSecret, MemoryExport, MemoryList, RunList, Usage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWireId } from '../../src/runtime/ids.ts'
import { Driver, remember, rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let other: Caller
const theirs: Record<string, string> = {}

beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  const driver = new Driver(service.database)
  const make = async (state: string) => {
    theirs[state] = (await acme.newRun({ workspace_id: 'secret-project' })).id
    return theirs[state]
  }
  await make('queued')
  await driver.toAwaiting(await make('awaiting'))
  await driver.toStalled(await make('stalled'))
  await driver.toFailed(await make('failed'))
  await driver.toSucceeded(await make('succeeded'))
  theirs.memory = await remember(service.database, { title: 'secret' })
  theirs.key = (await acme.post('/v1/keys', {})).json<KeyWithSecret>().key.id
})
afterAll(() => service.stop())

const states = ['queued', 'awaiting', 'stalled', 'failed', 'succeeded']
const signal = { action: 'approve', idempotency_key: 'k' }
const onRuns: [method: string, path: string, body?: unknown][] = [
  ['GET', '/v1/runs/{id}'],
  ['GET', '/v1/runs/{id}?include=awaiting_input,plan,limits,usage,failure'],
  ['GET', '/v1/runs/{id}?nonsense=1'],
  ['HEAD', '/v1/runs/{id}'],
  ['POST', '/v1/runs/{id}/cancel'],
  ['POST', '/v1/runs/{id}/retry'],
  ['POST', '/v1/runs/{id}/resume'],
  ['POST', '/v1/runs/{id}/signal', signal],
  ['POST', '/v1/runs/{id}/signal', { ...signal, await_seq: 4 }],
  ['POST', '/v1/runs/{id}/signal', { action: 'nonsense' }],
  ['GET', '/v1/runs/{id}/events'],
  ['GET', '/v1/runs/{id}/events?cursor=1&limit=5'],
  ['GET', '/v1/runs/{id}/events?limit=0'],
  ['GET', '/v1/runs/{id}/events/stream'],
  ['GET', '/v1/runs/{id}/events/stream?cursor=2'],
  ['DELETE', '/v1/runs/{id}'],
]

/** Everything of an answer but the time, the request id and the id that was asked for. */
const faceOf = ({ status, headers, text }: Reply, id: string) => {
  const { date, 'x-request-id': requestId, ...rest } = headers
  return { status, headers: rest, text: text.replaceAll(id, '{id}').replaceAll(String(requestId), '') }
}

async function ask([method, path, body]: (typeof onRuns)[number], id: string) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return faceOf(await other.send({ method, path: path.replace('{id}', id), body, headers }), id)
}

describe.each(onRuns)('%s %s', (...route) => {
  test.each(states)('answers for a foreign run that is %s as for one that does not exist', async (state) => {
    const before = await rowCounts(service.database)
    const foreign = await ask(route, theirs[state] ?? '')
    expect(foreign).toEqual(await ask(route, newWireId('run')))
    expect([400, 404]).toContain(foreign.status)
    expect(await rowCounts(service.database)).toEqual(before)
  })
})

test.each([
  ['GET', '/v1/memory/items/{id}', 'memory', 'mem'],
  ['GET', '/v1/memory/items/{id}?include_embedding=true', 'memory', 'mem'],
  ['DELETE', '/v1/memory/items/{id}', 'memory', 'mem'],
  ['GET', '/v1/keys/{id}', 'key', 'key'],
  ['POST', '/v1/keys/{id}/rotate', 'key', 'key'],
  ['DELETE', '/v1/keys/{id}', 'key', 'key'],
] as const)('%s %s answers for a foreign id as for one that does not exist', async (method, path, name, prefix) => {
  const foreign = await ask([method, path], theirs[name] ?? '')
  expect(foreign).toEqual(await ask([method, path], newWireId(prefix)))
  expect(foreign.status).toBe(404)
})

test('an id of another kind answers as one that does not exist', async () => {
  const own = (await other.newRun()).id
  const swapped = own.replace('run_', 'mem_')
  expect((await other.get(`/v1/memory/items/${swapped}`)).status).toBe(404)
  expect((await other.get(`/v1/runs/${(theirs.memory ?? '').replace('mem_', 'run_')}`)).status).toBe(404)
})

test('lists, usage, memory and keys of one hold nothing of the other', async () => {
  const paths = [
    '/v1/runs',
    '/v1/usage?workspace_id=secret-project',
    '/v1/memory/items?include_harness=true',
    '/v1/memory/export',
    '/v1/keys',
  ]
  const answers = await Promise.all(paths.map((path) => other.get(path)))
  const [runs, usage, memory, files, keys] = answers
  expect(runs?.json<RunList>().runs.map(({ id }) => id)).not.toEqual(expect.arrayContaining([theirs.queued]))
  expect(usage?.json<Usage>().usage).toEqual([])
  expect(memory?.json<MemoryList>().items).toEqual([])
  expect(
    files
      ?.json<MemoryExport>()
      .files.map(({ content }) => content)
      .join(),
  ).not.toContain('secret')
  expect(keys?.json<KeyList>().keys.map(({ id }) => id)).toEqual(['key_other'])
  expect(answers.map(({ text }) => text).join()).not.toContain('secret-project')
})

test('the idempotency key of one says nothing to the other', async () => {
  const headers = { 'idempotency-key': 'shared' }
  await acme.create(emptyRun, headers)
  const reply = await other.create(emptyRun, headers)
  expect([reply.status, reply.json().replayed]).toEqual([201, false])
})

test('after all this the runs are as they were', async () => {
  const statuses = await Promise.all(states.map(async (state) => (await acme.run(theirs[state] ?? '')).status))
  expect(statuses).toEqual(['queued', 'running', 'stalled', 'failed', 'succeeded'])
})
