// POST /v1/runs/{id}/fork: what it answers, and what it refuses. The runs are played by one service, and forked through
// another one that executes nothing, so that forks stay queued.
import { randomBytes, randomUUID } from 'node:crypto'
import { type CreatedRun, maxPayloadBytes, type PlanStep, type Run, type TokenScope } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { journalVersion } from '../../src/domain/run/journal.ts'
import { fromWireId, newWireId } from '../../src/runtime/ids.ts'
import { trimEndedRuns } from '../../src/store/run-log/trim-runs.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { rowCounts } from '../support/drive.ts'
import { Bench, planned, scripted } from '../support/engine.ts'
import { Caller, expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken } from '../support/tokens.ts'

let fresh: FreshDatabase
let service: Service
let acme: Caller
let other: Caller
/** Runs by what has become of them. */
const runs: Record<string, string> = {}

const labels = { workspace_id: 'w', subject_id: 's', run_class: 'short' }
const calc = (id: string): PlanStep => ({ id, tool: 'calculator', input: { expression: '1' } })
const tag = (path: string, more: object = {}) => ({ path, classification: 'credential', ...more })

beforeAll(async () => {
  fresh = await freshDatabase()
  const host = { ...fresh, drop: async () => undefined }
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const player = new Bench(await startService({ RUNWRIGHT_MODELS_ALLOWED: 'sandbox' }, { worker: true, host, secrets }))
  const play = async (body: object) => (await player.play(body)).id
  const plan = planned([calc('a'), calc('b')], [], { ...labels, input: { n: 1 } })
  // The oldest ones, which are trimmed first.
  runs.trimmed = await play(plan)
  runs.failed = await play(planned([calc('a'), { id: 'bad', instruction: 'x' }], [{ fail: {} }]))
  runs.chosen = await play(planned([calc('a')], [], { metadata: { model: 'sandbox' } }))
  for (const name of ['succeeded', 'removed']) runs[name] = await play(plan)
  runs.unplanned = await play(scripted([{ say: 'a' }]))
  runs.tagged = await play(
    planned([calc('a')], [], { input: { pin: '4711-0815' }, sensitivity_tags: [tag('$.input.pin')] }),
  )
  runs.waiting = await player.create(planned([calc('a'), { id: 'gate', await_input: {} }, calc('b')]))
  await player.waits(runs.waiting)
  await player.service.stop()
  service = await startService({ RUNWRIGHT_QUEUE_LIMIT: '40' }, { host: fresh, secrets })
  acme = new Caller(service.url, player.service.key)
  other = new Caller(service.url, player.service.otherKey)
  runs.queued = (await acme.newRun(plan)).id
})
afterAll(() => service.stop())

let key: string
beforeEach(() => {
  key = randomUUID()
})
const fork = (body: unknown, { of = 'succeeded', caller = acme, headers = {} } = {}): Promise<Reply> =>
  caller.post(`/v1/runs/${runs[of] ?? of}/fork`, body, { 'idempotency-key': key, ...headers })

describe('the answer', () => {
  test('is the created run, as that of a create, with the labels and the class of the run', async () => {
    const reply = await fork({ from_step: 'a' })
    expect(reply.status).toBe(201)
    const { id, metadata } = reply.json<CreatedRun>()
    expect(reply.json()).toEqual({
      id: expect.stringMatching(/^run_/),
      ...labels,
      status: 'queued',
      metadata: { created_at: metadata.created_at, updated_at: metadata.created_at },
      event_payload: { redacted: true, value: null },
      replayed: false,
      request_id: reply.headers['x-request-id'],
    })
    const { request_id, ...run } = await acme.run(id)
    expect(reply.json()).toMatchObject(run)
  })

  test('leads to a run with one event, which has the id of the request', async () => {
    const { id } = (await fork({ from_step: 'a' }, { headers: { 'x-request-id': 'the-fork' } })).json<Run>()
    const routing = { first_role: 'worker', decided_by: 'plan', reason: 'plan_given' }
    expect(await acme.events(id)).toMatchObject([
      { seq: 1, type: 'run.created', payload: { redacted: true, value: { request_id: 'the-fork', routing } } },
    ])
  })

  test('and include=forked_from, of a run and of a list, tells forks from other runs', async () => {
    const { id } = (await fork({ from_step: 'b' })).json<Run>()
    const origin = { run_id: runs.succeeded, step_id: 'b' }
    const get = async (run = '') => (await acme.get(`/v1/runs/${run}?include=forked_from`)).json().forked_from
    expect([await get(id), await get(runs.succeeded)]).toEqual([origin, null])
    expect((await acme.get(`/v1/runs/${id}`)).json()).not.toHaveProperty('forked_from')
    const list = (await acme.get('/v1/runs?include=forked_from&limit=200')).json<{ runs: (Run & object)[] }>().runs
    expect(list.find((run) => run.id === id)).toMatchObject({ forked_from: origin })
    expect(list.find((run) => run.id === runs.succeeded)).toMatchObject({ forked_from: null })
  })

  test('keeps the input, or has the one that was sent', async () => {
    const input = async (reply: Reply) =>
      (await acme.get(`/v1/runs/${reply.json<Run>().id}?include=input`)).json().input
    expect(await input(await fork({ from_step: 'a' }))).toEqual({
      input: { n: 1 },
      metadata: {},
      attachment_refs: [],
    })
    key = randomUUID()
    const changed = await fork({ from_step: 'a', input: { n: 2 }, metadata: { title: 'Another try' } })
    expect(await input(changed)).toMatchObject({ input: { n: 2 }, metadata: { title: 'Another try' } })
    const { id } = changed.json<Run>()
    expect((await acme.get(`/v1/runs/${id}?include=title`)).json().title).toBe('Another try')
  })
})

describe('the idempotency key', () => {
  test('makes one fork, also if twenty requests come at once', async () => {
    const before = await rowCounts(service.database)
    const replies = await Promise.all(Array.from({ length: 20 }, () => fork({ from_step: 'a' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
    expect(new Set(replies.map((reply) => reply.json<Run>().id)).size).toBe(1)
    expect(await rowCounts(service.database)).toMatchObject({
      runs: Number(before.runs) + 1,
      journal: Number(before.journal) + 1,
      usage_records: Number(before.usage_records) + 1,
    })
  })

  test('returns the fork, whatever has become of the run', async () => {
    const first = (await fork({ from_step: 'a', metadata: { n: 1 } }, { of: 'removed' })).json<CreatedRun>()
    await acme.send({ method: 'DELETE', path: `/v1/runs/${runs.removed}` })
    const again = await fork('{"metadata":{"n":1}, "from_step":"a"}', { of: 'removed' })
    expect(again.status).toBe(200)
    expect(again.json()).toEqual({ ...first, replayed: true, request_id: again.headers['x-request-id'] })
    key = randomUUID()
    expectRefusal(await fork({ from_step: 'a' }, { of: 'removed' }), 404, 'RUN_NOT_FOUND')
  })

  test('conflicts with another body, another run, and a create', async () => {
    await fork({ from_step: 'a' })
    expectRefusal(await fork({ from_step: 'b' }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    expectRefusal(await fork({ from_step: 'a' }, { of: 'failed' }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    expectRefusal(await acme.create(undefined, { 'idempotency-key': key }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    key = randomUUID()
    await acme.create(undefined, { 'idempotency-key': key })
    expectRefusal(await fork({ from_step: 'a' }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  })

  test('of a fork that was removed is not used again', async () => {
    const { id } = (await fork({ from_step: 'a' })).json<Run>()
    await acme.post(`/v1/runs/${id}/cancel`)
    await acme.send({ method: 'DELETE', path: `/v1/runs/${id}` })
    expectRefusal(await fork({ from_step: 'a' }), 410, 'IDEMPOTENCY_KEY_EXPIRED')
  })

  test('is not used up by a refused fork', async () => {
    expectRefusal(await fork({ from_step: 'nothing' }), 409, 'STEP_NOT_FINISHED')
    expect((await fork({ from_step: 'a' })).status).toBe(201)
  })

  test('is apart for callers with other limits: a guessed one neither shows nor blocks a fork', async () => {
    const scopes: TokenScope[] = ['runs:write', 'runs:read']
    const ofSubject = await withToken(acme, { scopes, subject_id: 's' })
    const callers = [acme, ofSubject, await withToken(acme, { scopes, workspace_id: 'w' })]
    const ids = new Set<string>()
    for (const caller of callers) {
      const reply = await fork({ from_step: 'a' }, { caller })
      expect([reply.status, reply.json().replayed]).toEqual([201, false])
      ids.add(reply.json<CreatedRun>().id)
    }
    expect(ids.size).toBe(3)
    const renewed = await withToken(acme, { scopes, subject_id: 's', expires_in: 60 })
    const again = await fork({ from_step: 'a' }, { caller: renewed })
    expect([again.status, again.json().id]).toEqual([200, [...ids][1]])
    expectRefusal(await fork({ from_step: 'b' }, { caller: ofSubject }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  })
})

const a = { from_step: 'a' }

describe('refused', () => {
  test.each([
    ['no body', undefined],
    ['what is no JSON', '{'],
    ['no step', {}],
    ['an empty step', { from_step: '' }],
    ['a step that is not text', { from_step: 1 }],
    ['a null input', { ...a, input: null }],
    ['metadata that is a list', { ...a, metadata: [] }],
    ['a plan', { ...a, plan: { steps: [calc('a')] } }],
    ['another class', { ...a, run_class: 'long' }],
    ['a malformed script', { ...a, input: { sandbox: { steps: 1 } } }],
    ['a malformed rubric', { ...a, input: { rubric: {} } }],
    ['a malformed schema of the output', { ...a, input: { output_schema: { type: 'nothing' } } }],
  ])('with 400: %s', async (_case, body) => {
    expectRefusal(await fork(body), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test('with 400: no idempotency key', async () => {
    expectRefusal(await fork(a, { headers: { 'idempotency-key': undefined } }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
  })

  test.each([
    ['that it names', {}, { metadata: { model: 'openai/gpt-5' } }],
    ['that the run was created with, when it was allowed', { of: 'chosen' }, {}],
  ])('with 400: a model that is not allowed, %s', async (_, run, change) => {
    const reply = await fork({ ...a, ...change }, run)
    expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
    expect(reply.text).toContain('metadata.model names a model that is not allowed')
  })

  test('with 400: an input that is too large together with the metadata of the run', async () => {
    const text = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}{}'.length) })
    expect((await fork({ ...a, input: text(maxPayloadBytes) })).status).toBe(201)
    key = randomUUID()
    expectRefusal(await fork({ ...a, input: text(maxPayloadBytes + 1) }), 400, 'INPUT_PAYLOAD_TOO_LARGE')
  })

  test.each([
    ['INPUT_SENSITIVITY_TAG_REQUIRED', { input: { password: 'x' } }],
    ['INPUT_SENSITIVITY_TAG_INVALID_PATH', { sensitivity_tags: [tag('$.inputs')] }],
    ['INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION', { sensitivity_tags: [tag('$.input.n', { classification: 'x' })] }],
    ['INPUT_SENSITIVITY_TAG_DUPLICATE_PATH', { sensitivity_tags: [tag('$.input.n'), tag("$.input['n']")] }],
  ])('with 400 %s', async (code, body) => {
    expectRefusal(await fork({ ...a, ...body }), 400, code)
  })

  test('with 400: a tag that the run has already', async () => {
    const tags = { sensitivity_tags: [tag('$.input.pin', { allow: ['tool:http_fetch'] })] }
    expectRefusal(await fork({ ...a, ...tags }, { of: 'tagged' }), 400, 'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH')
  })

  test.each([
    ['that does not exist', () => newWireId('run'), () => acme],
    ['of another customer', () => 'succeeded', () => other],
    ['with a malformed id', () => 'nonsense', () => acme],
  ])('with 404: a run %s', async (_case, of, caller) => {
    const before = await rowCounts(service.database)
    expectRefusal(await fork(a, { of: of(), caller: caller() }), 404, 'RUN_NOT_FOUND')
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test.each([
    ['that the plan does not have', 'succeeded', 'c'],
    ['that failed', 'failed', 'bad'],
    ['that has not started', 'waiting', 'b'],
    ['that is a gate without an answer', 'waiting', 'gate'],
    ['of a run that has not started', 'queued', 'a'],
    ['of a run without a plan that it has not come to', 'unplanned', '#1'],
  ])('with 409: a step %s', async (_case, of, from_step) => {
    const reply = await fork({ from_step }, { of })
    expectRefusal(reply, 409, 'STEP_NOT_FINISHED')
    expect(reply.json().message).toContain(from_step)
  })

  test('with 409: a run whose results were deleted, which says how long a fork is possible', async () => {
    expect(await trimEndedRuns(service.database, { hours: 0, atMost: 2 })).toBe(2)
    const reply = await fork(a, { of: 'trimmed' })
    expectRefusal(reply, 409, 'RUN_STATE_CONFLICT')
    expect(reply.json().message).toContain('for a day after its end')
    key = randomUUID()
    expect((await fork(a, { of: 'failed' })).status).toBe(201)
  })

  test('with 409: a run that a newer version of the service has executed', async () => {
    const set = (version: number) =>
      service.database.run({
        text: 'update runs set journal_version = $1 where id = $2',
        values: [version, fromWireId('run', runs.unplanned ?? '')],
      })
    await set(journalVersion + 1)
    expectRefusal(await fork({ from_step: '#0' }, { of: 'unplanned' }), 409, 'RUN_STATE_CONFLICT')
    await set(journalVersion)
    expect((await fork({ from_step: '#0' }, { of: 'unplanned' })).status).toBe(201)
  })

  test('with 503: while the customer is being moved, and nothing is written', async () => {
    const move = (state: string | null) =>
      service.database.run({
        text: `update customers set move = $1, move_cell = case when $1::text is not null then 'b' end where id = 'acme'`,
        values: [state],
      })
    const before = await rowCounts(service.database)
    await move('held')
    expectRefusal(await fork(a), 503, 'CUSTOMER_MOVING')
    await move(null)
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test('with 429: a fork beyond the queue limit, but not a replay', async () => {
    const first = key
    await fork(a)
    let reply: Reply
    do {
      key = randomUUID()
      reply = await fork(a)
    } while (reply.status === 201)
    expectRefusal(reply, 429, 'QUEUE_LIMIT_REACHED')
    key = first
    expect((await fork(a)).status).toBe(200)
  })
})
