// Agents over HTTP without a worker: what is known before a run is executed, and a service that has no agents.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planned } from '../support/engine.ts'
import { Caller, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const start = async (env: Record<string, string>) => {
  const service = await startService(env)
  return { service, acme: new Caller(service.url, service.key), other: new Caller(service.url, service.otherKey) }
}
const named = { input: {}, metadata: { agent: 'clerk' } }
const create = async (caller: Caller, body: object) => (await caller.create(body)).json<{ id: string }>().id
const agentOf = async (caller: Caller, id: string) =>
  (await caller.get(`/v1/runs/${id}?include=agent`)).json<{ agent: unknown }>().agent

const expectRefused = (reply: Reply, message: string) =>
  expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'INPUT_PAYLOAD_INVALID', message }])

describe('a service with agents', () => {
  let folder: string
  let service: Service
  let acme: Caller
  let other: Caller
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
    await writeFile(join(folder, 'clerk.md'), '---\ndescription: Sorts.\n---\nSort with care.\n')
    ;({ service, acme, other } = await start({ RUNWRIGHT_AGENTS_DIR: folder }))
  })
  afterAll(async () => {
    await service.stop()
    await rm(folder, { recursive: true })
  })

  test('shows the agent of a run that was not executed yet, without hashes', async () => {
    const id = await create(acme, named)
    expect(await agentOf(acme, id)).toEqual({ name: 'clerk', hash: null, set_hash: null })
    expect((await other.get(`/v1/runs/${id}?include=agent`)).status).toBe(404)
    expect(await agentOf(acme, await create(acme, { input: {}, metadata: {} }))).toBeNull()
  })

  test('shows no part that was not asked for', async () => {
    const id = await create(acme, named)
    expect((await acme.get(`/v1/runs/${id}`)).json()).not.toHaveProperty('agent')
  })

  test('lists its runs by agent, with the agent, also those that were not executed yet', async () => {
    const id = await create(acme, named)
    const listed = async (caller: Caller, query: string) =>
      (await caller.get(`/v1/runs?include=agent&${query}`)).json<{ runs: { id: string; agent: unknown }[] }>().runs
    const [newest] = await listed(acme, 'agent=clerk')
    expect(newest).toMatchObject({ id, agent: { name: 'clerk', hash: null, set_hash: null } })
    expect(await listed(acme, 'agent=cler')).toEqual([])
    expect(await listed(other, 'agent=clerk')).toEqual([])
  })

  test('masks a tagged name, and accepts it', async () => {
    const tag = { path: '$.metadata.agent', classification: 'proprietary' }
    const id = await create(acme, { ...named, sensitivity_tags: [tag] })
    expect(await agentOf(acme, id)).toEqual({ name: '***', hash: null, set_hash: null })
  })

  test('leaves the name in a step of the plan as it is: the step needs its agent', async () => {
    const tag = { path: '$.metadata.agent', classification: 'proprietary' }
    const plan = { steps: [{ id: 'a', instruction: 'Sort for clerk', agent: 'clerk' }] }
    const id = await create(acme, { ...named, plan, sensitivity_tags: [tag] })
    const stored = (await acme.get(`/v1/runs/${id}?include=plan`)).json<{ plan: { steps: { agent: string }[] } }>()
    expect(stored.plan.steps[0]?.agent).toBe('clerk')
  })

  test('shows its agents to every customer, to keys that may read runs, and never the instructions', async () => {
    const reply = await other.get('/v1/agents')
    expect(reply.json()).toMatchObject({ agents: [{ name: 'clerk' }], request_id: expect.any(String) })
    expect(reply.text).not.toContain('care')
    const made = await acme.post('/v1/keys', { scopes: ['usage:read'] })
    const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
    const refused = await new Caller(service.url, `${key.id}:${secret}`).get('/v1/agents')
    expect([refused.status, refused.json()]).toMatchObject([403, { reason_code: 'SCOPE_DENIED' }])
  })
})

describe('a service without agents', () => {
  let service: Service
  let acme: Caller
  beforeAll(async () => {
    ;({ service, acme } = await start({}))
  })
  afterAll(() => service.stop())

  test('lists none', async () => {
    expect((await acme.get('/v1/agents')).json()).toMatchObject({ agents: [] })
  })

  const refused = [
    [{ agent: 'clerk' }, 'metadata.agent names an unknown agent: "clerk"; no agents are configured.'],
    [{ agent: null }, 'metadata.agent must be the name of an agent; no agents are configured.'],
    [{ model: 'any' }, 'metadata.model names a model that is not allowed: "any"; no models are allowed.'],
    [{ model: 17 }, 'metadata.model must be a model; no models are allowed.'],
  ] as const

  test.each(refused)('does not begin a run with %j that would go on without it', async (metadata, message) => {
    expectRefused(await acme.create({ input: {}, metadata }), message)
    expect((await acme.get('/v1/runs')).json()).toMatchObject({ runs: [] })
  })

  test.each(refused)('nor makes a schedule of such runs: %j', async (metadata, message) => {
    const every = { cron: '0 8 * * *' }
    expectRefused(await acme.post('/v1/schedules', { ...every, run: { input: {}, metadata } }), `run: ${message}`)
    const made = await acme.post('/v1/schedules', { ...every, run: { input: {}, metadata: {} } })
    const { id } = made.json<{ schedule: { id: string } }>().schedule
    const changed = { run: { input: {}, metadata } }
    const path = `/v1/schedules/${id}`
    expectRefused(await acme.send({ method: 'PATCH', path, body: changed, headers: jsonType }), `run: ${message}`)
  })

  test('refuses a plan step with an agent', async () => {
    const reply = await acme.create(planned([{ id: 'a', instruction: 'x', agent: 'clerk' }]))
    expect([reply.status, reply.json()]).toMatchObject([
      400,
      {
        reason_code: 'INPUT_PLAN_INVALID',
        message: 'plan.steps[0] ("a"): names an unknown agent: "clerk"; no agents are configured.',
      },
    ])
  })
})
