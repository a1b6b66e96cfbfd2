// POST /v1/runs: what a new run and its first event look like, and what it may be made of.
import type { Run } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anEvent, aRun, Caller, emptyRun, instantPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

describe('a created run', () => {
  test('answers 201 with exactly the fields of a run and replayed false', async () => {
    const reply = await acme.create()
    expect(reply.status).toBe(201)
    expect(reply.json()).toEqual(aRun({ replayed: false }))
  })

  test.each(['default', 'short', 'long'])('echoes its labels and resolves the class %s', async (run_class) => {
    const reply = await acme.create({ ...emptyRun, workspace_id: 'w 1', subject_id: 's/1', run_class })
    expect(reply.json()).toEqual(aRun({ workspace_id: 'w 1', subject_id: 's/1', run_class, replayed: false }))
  })

  test('is updated at the time of its first event and keeps neither metadata nor input in its answer', async () => {
    const run = await acme.newRun({ metadata: { order: 4711 }, input: { text: 'hello' } })
    const [created] = await acme.events(run.id)
    expect(run.metadata.updated_at).toBe(created?.timestamp)
    expect(run.metadata.created_at <= run.metadata.updated_at).toBe(true)
  })

  test('can be got at once, the same but for replayed and request_id', async () => {
    const { replayed, request_id, ...created } = await acme.newRun({ workspace_id: 'w' })
    const { request_id: other, ...got } = await acme.run(created.id)
    expect(got).toEqual(created)
    expect(other).not.toBe(request_id)
    expect(replayed).toBe(false)
  })

  test.each([
    ['every optional field', { attachment_refs: ['s3://a'], routing_hint: 'skip_planning', streaming: false }],
    ['an empty list of attachments', { attachment_refs: [] }],
    ['an empty list of tags', { sensitivity_tags: [] }],
    ['100 attachments', { attachment_refs: Array(100).fill('a') }],
    ['a nested input', { input: { a: [{ b: null }, 1.5, 'ü', true] } }],
  ])('may have %s', async (_case, body) => {
    expect((await acme.create({ ...emptyRun, ...body })).status).toBe(201)
  })

  test.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/json;charset=UTF-8']])(
    'is accepted as %s',
    async (type) => {
      expect((await acme.create(emptyRun, { 'content-type': type })).status).toBe(201)
    },
  )

  test('ignores what stands in the query, since it is a POST', async () => {
    const headers = { 'idempotency-key': 'query-is-ignored' }
    expect((await acme.post('/v1/runs?nonsense=1&nonsense=2&input=', emptyRun, headers)).status).toBe(201)
  })
})

describe('the event run.created', () => {
  const createdEventOf = async (body: object) => {
    const run = await acme.newRun(body)
    const [event] = await acme.events(run.id)
    return { run, event, value: event?.payload.value ?? {} }
  }

  test('carries the request id and the routing, and is redacted', async () => {
    const { run, event } = await createdEventOf({})
    const routing = { first_role: expect.stringMatching(/^(planner|worker)$/), decided_by: 'heuristic' }
    const value = { request_id: run.request_id, routing: { ...routing, reason: expect.stringMatching(/\S/) } }
    expect(event).toEqual(anEvent(1, 'run.created', value, true))
  })

  test.each([
    ['skip_planning', 'worker'],
    ['require_planning', 'planner'],
  ])('follows the hint %s to the %s', async (routing_hint, first_role) => {
    const { value } = await createdEventOf({ routing_hint })
    expect(value).toMatchObject({ routing_hint, routing: { first_role, decided_by: 'hint' } })
  })

  test.each(['skip_planning', 'require_planning'])('with a plan only echoes the hint %s', async (routing_hint) => {
    const { value } = await createdEventOf({ routing_hint, plan: { steps: [{ instruction: 'Look' }] } })
    expect(value).toMatchObject({ routing_hint, routing: { first_role: 'worker', decided_by: 'plan' } })
  })

  test.each([true, false])('echoes streaming %s and leaves it out when it was left out', async (streaming) => {
    expect((await createdEventOf({ streaming })).value).toHaveProperty('streaming', streaming)
    expect((await createdEventOf({})).value).not.toHaveProperty('streaming')
  })

  test('holds neither input, metadata, attachments, tags, plan, labels nor class', async () => {
    const { value } = await createdEventOf({
      input: { name: 'canary-1' },
      metadata: { name: 'canary-2' },
      attachment_refs: ['canary-3'],
      sensitivity_tags: [{ path: '$.input.name', classification: 'pii' }],
      plan: { steps: [{ instruction: 'canary-4' }] },
      workspace_id: 'canary-5',
      run_class: 'long',
    })
    expect(Object.keys(value).sort()).toEqual(['request_id', 'routing'])
    expect(JSON.stringify(value)).not.toContain('canary')
  })
})

describe('labels are counted in characters', () => {
  test.each([
    ['one letter', 'x'],
    ['255 letters', 'x'.repeat(255)],
    ['255 umlauts', 'ü'.repeat(255)],
    ['255 characters beyond the basic plane', '😀'.repeat(255)],
    ['a path', '../../etc/passwd'],
    ['a blank', ' '],
    ['quotes and a backslash', `'"\\;--`],
  ])('%s is a label and comes back as it went in', async (_case, label) => {
    const reply = await acme.create({ ...emptyRun, workspace_id: label, subject_id: label })
    expect(reply.json<Run>()).toMatchObject({ workspace_id: label, subject_id: label })
  })
})

test('times are UTC with milliseconds', async () => {
  const { metadata } = await acme.newRun()
  expect(metadata.created_at).toMatch(instantPattern)
  expect(Math.abs(Date.parse(metadata.created_at) - Date.now())).toBeLessThan(60_000)
})
