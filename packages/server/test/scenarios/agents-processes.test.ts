// Agents over several processes: a reload by signal, a run that another worker takes over, and files with errors.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { roleOf, verdict } from '../support/agents.ts'
import { planned, untilEnded } from '../support/engine.ts'
import type { Caller } from '../support/http.ts'
import { type HostedFleet, startFleet } from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { say } from '../support/providers/script.ts'

let provider: MockProvider
let hosted: HostedFleet
let folder: string
beforeAll(async () => {
  provider = await startMockProvider('openai-chat', (request) =>
    roleOf(request) === 'judge' ? verdict('stop') : say('Dear customer,'),
  )
})
afterAll(() => provider.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await write('briefly')
  const server = { OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl, OPENAI_COMPATIBLE_API_KEY: 'sk-test' }
  hosted = await startFleet({ env: { RUNWRIGHT_MODEL: 'openai-compatible/gpt-test', ...server } })
})
afterEach(async () => {
  await hosted.close()
  await rm(folder, { recursive: true })
})

const write = (how: string, field = 'description') =>
  writeFile(
    join(folder, 'writer.md'),
    `---\n${field}: Writes.\nmodel: openai-compatible/gpt-letter\n---\nWrite ${how}.\n`,
  )

const gated = planned(
  [
    { id: 'gate', await_input: { prompt: 'Go on?' } },
    { id: 'letter', instruction: 'Write' },
  ],
  [],
  { metadata: { agent: 'writer' } },
)

test('a run keeps its agent after a reload, in a worker that does not have the folder', {
  timeout: 90_000,
}, async () => {
  const { fleet } = hosted
  const env = { RUNWRIGHT_AGENTS_DIR: folder }
  const api = await fleet.start('api', env)
  const first = await fleet.start('worker', env)
  const caller = fleet.caller(api)
  const { id } = (await caller.create(gated)).json<{ id: string }>()
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(({ type }) => type === 'run.awaiting_input'))
  stream.close()

  await write('at length')
  for (const process of [api, first]) {
    process.signal('SIGHUP')
    await process.says('agents reloaded')
  }
  await first.stop()
  await fleet.start('worker')

  await caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })
  expect((await untilEnded(caller, id)).at(-1)?.type).toBe('run.worker.succeeded')
  const [request] = provider.requests.filter((one) => roleOf(one) === 'worker')
  expect([request?.model, request?.system.slice(-14)]).toEqual(['gpt-letter', 'Write briefly.'])
  expect(provider.refusals).toEqual([])
})

test('a worker that lacks the agent fails the run and says why; after a reload, a retry succeeds', {
  timeout: 90_000,
}, async () => {
  const { fleet } = hosted
  const ofWorker = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  const api = await fleet.start('api', { RUNWRIGHT_AGENTS_DIR: folder })
  const worker = await fleet.start('worker', { RUNWRIGHT_AGENTS_DIR: ofWorker })
  const caller = fleet.caller(api)
  const ask = { input: { question: 'How much?' }, metadata: { agent: 'writer' } }
  const { id } = (await caller.create(ask)).json<{ id: string }>()
  expect((await untilEnded(caller, id)).at(-1)?.payload.value).toMatchObject({ reason_code: 'agent_unavailable' })
  expect((await caller.get(`/v1/runs/${id}?include=failure,agent`)).json()).toMatchObject({
    failure: { reason_code: 'agent_unavailable', message: 'This worker has no agent named "writer".' },
    agent: { name: 'writer', hash: null, set_hash: null },
  })

  await cp(folder, ofWorker, { recursive: true })
  worker.signal('SIGHUP')
  await worker.says('agents reloaded')
  await caller.post(`/v1/runs/${id}/retry`)
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(({ type }) => type === 'run.worker.succeeded'))
  stream.close()
  await rm(ofWorker, { recursive: true })
})

test('a worker without the folder does not do the work without the agent', { timeout: 90_000 }, async () => {
  const { fleet } = hosted
  const api = await fleet.start('api', { RUNWRIGHT_AGENTS_DIR: folder })
  await fleet.start('worker')
  const caller = fleet.caller(api)
  const before = provider.requests.length
  const plan = { steps: [{ id: 'a', instruction: 'Write', agent: 'writer' }] }
  for (const named of [{ metadata: { agent: 'writer' } }, { metadata: {}, plan }]) {
    const { id } = (await caller.create({ input: {}, ...named })).json<{ id: string }>()
    expect((await untilEnded(caller, id)).at(-1)?.payload.value).toMatchObject({ reason_code: 'agent_unavailable' })
    expect((await caller.get(`/v1/runs/${id}?include=failure`)).json()).toMatchObject({
      failure: { message: 'This worker has no agent named "writer".' },
    })
  }
  expect(provider.requests.length).toBe(before)
})

test('a model that is no longer allowed is not replaced by another one', { timeout: 90_000 }, async () => {
  const { fleet } = hosted
  const model = 'openai-compatible/gpt-wish'
  const [allowing, api] = [await fleet.start('api', { RUNWRIGHT_MODELS_ALLOWED: model }), await fleet.start('api')]
  await fleet.start('worker')
  const before = provider.requests.length
  const caller = fleet.caller(allowing)
  const body = planned(
    [
      { id: 'sum', tool: 'calculator', input: { expression: '1' } },
      { id: 'letter', instruction: 'Write' },
    ],
    [],
    { metadata: { model } },
  )
  const { id } = (await caller.create(body)).json<{ id: string }>()
  expect((await untilEnded(caller, id)).at(-1)?.payload.value).toMatchObject({ reason_code: 'model_unavailable' })
  expect((await caller.get(`/v1/runs/${id}?include=failure`)).json()).toMatchObject({
    failure: { message: `This worker does not allow the model "${model}", which the run chose.` },
  })
  expect(provider.requests.length).toBe(before)
  const fork = (by: Caller) => by.post(`/v1/runs/${id}/fork`, { from_step: 'sum' }, { 'idempotency-key': 'fork' })
  const refused = await fork(fleet.caller(api))
  expect([refused.status, refused.json()]).toMatchObject([
    400,
    {
      reason_code: 'INPUT_PAYLOAD_INVALID',
      message: `metadata.model names a model that is not allowed: "${model}"; no models are allowed.`,
    },
  ])
  expect((await fork(caller)).status).toBe(201)
})

test('a signal with a bad file does not end the process, and the next one works', async () => {
  const { fleet } = hosted
  const service = await fleet.start('start', { RUNWRIGHT_AGENTS_DIR: folder })
  await write('x', 'descripton')
  service.signal('SIGHUP')
  await service.says('agents could not be reloaded')
  expect(service.output).toContain('\\"descripton\\" is not a known field: did you mean description?')
  await write('at length')
  service.signal('SIGHUP')
  await service.says('agents reloaded')
  expect((await fleet.caller(service).get('/v1/agents')).json()).toMatchObject({ agents: [{ name: 'writer' }] })
  expect((await service.stop()).code).toBe(0)
})

test('a bad file stops the start with one sentence', async () => {
  await write('x', 'descripton')
  const service = hosted.fleet.spawn('start', { RUNWRIGHT_AGENTS_DIR: folder })
  expect((await service.exited).code).toBe(1)
  const file = join(folder, 'writer.md')
  expect(service.output.trim()).toBe(
    `RUNWRIGHT_AGENTS_DIR: in ${file}, "descripton" is not a known field: did you mean description?`,
  )
})
