// Steps whose MCP server is away: they wait for it and then fail by name. No model is asked with fewer tools than its
// step was promised, and what the model was offered is what a mock provider that others wrote has received.
import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import type { Dependencies } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Bench, ofType, outline, planned, startBench } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { withMcpConfig } from '../support/mcp.ts'

const apiKey = 'sk-of-nobody-1234567890'
const mock = new LLMock({ port: 0, auth: { apiKeys: [apiKey] } })
const worker = { systemMessage: 'You are an agent that works' }
const judge = { systemMessage: 'You judge the work' }
const fast = { firstMs: 20, maxMs: 100, parkAboveMs: 10 }
const patient = { ...fast, giveUpMs: 60_000 }
const impatient = { ...fast, giveUpMs: 200 }
const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }

let folder: string
let program: string
let host: FreshDatabase
let bench: Bench | undefined

beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(async () => {
  mock.reset()
  mock.on(worker, { content: 'Done.' })
  mock.on(judge, { content: JSON.stringify({ decision: 'stop', reason: 'done' }) })
  folder = await mkdtemp(join(tmpdir(), 'runwright-desk-'))
  program = join(folder, 'desk.mjs')
  host = await freshDatabase()
})
afterEach(async () => {
  await bench?.stop()
  bench = undefined
  await host.drop()
  await rm(folder, { recursive: true })
})

/** The program of the server is there from now on. */
const install = () => copyFile(join(import.meta.dirname, '../support/mcp-stub.mjs'), program)

/** Starts a service that reaches the server and stops it. From then on the server is away. */
async function listOnce(): Promise<void> {
  await install()
  await connected(await start(patient))
  await bench?.stop()
  bench = undefined
  // The next service brings its own.
  await host.database.run({ text: 'delete from api_keys' })
  await rm(program)
}

async function start(providerRetry: object): Promise<Bench> {
  const servers = { desk: { command: process.execPath, args: [program], effect: 'read' } }
  const environment = { OPENAI_COMPATIBLE_BASE_URL: `${mock.url}/v1`, OPENAI_COMPATIBLE_API_KEY: apiKey }
  const options = { host: { ...host, drop: async () => undefined }, secrets, providerRetry, environment }
  bench = await withMcpConfig(servers, (path) =>
    startBench({ RUNWRIGHT_MODEL: 'openai-compatible/any', RUNWRIGHT_MCP_CONFIG: path }, options),
  )
  return bench
}

const connected = ({ service }: Bench, times = 1) =>
  service.log.nth(times, (line) => line.includes('MCP server connected'))
const lost = ({ service }: Bench) => service.log.nth(1, (line) => line.includes('MCP server not connected'))

/** The names that the provider was told in each call of the worker. */
const offered = () =>
  mock
    .getRequests()
    .map(({ body }) => body as { messages: { content: string }[]; tools?: { function: { name: string } }[] })
    .filter(({ messages }) => JSON.stringify(messages[0]).includes(worker.systemMessage))
    .map(({ tools = [] }) => tools.map((tool) => tool.function.name))

const named = { instruction: 'Look.', tools: ['desk.params'] }
const waitsForTool = (id: string) =>
  (bench as Bench).until(id, (events) => outline(events).includes('worker continue tool_retry'))

test('a worker offers the tools of the last list, also before it has reached the server', async () => {
  await listOnce()
  const { events } = await (await start(patient)).play(planned([{ instruction: 'Look.' }]))
  expect(outline(events).at(-1)).toBe('succeeded')
  expect(offered()).toEqual([expect.arrayContaining(['desk__params', 'desk__hang'])])
})

test('the first run waits for the first list of a server', async () => {
  await install()
  const { events } = await (await start(patient)).play(planned([{ instruction: 'Look.' }]))
  expect(outline(events).at(-1)).toBe('succeeded')
  expect(offered()).toEqual([expect.arrayContaining(['desk__params'])])
})

describe.each([
  ['that has never been there', false],
  ['that was there before', true],
])('a server %s', (_, wasThere) => {
  async function startWithout(providerRetry: object): Promise<Bench> {
    if (wasThere) await listOnce()
    const made = await start(providerRetry)
    await lost(made)
    return made
  }

  test('makes an agent step that names its tools wait, without a call to the model', async () => {
    const made = await startWithout(patient)
    const id = await made.create(planned([named]))
    await waitsForTool(id)
    expect(offered()).toEqual([])
    await install()
    expect(outline(await made.ended(id)).at(-1)).toBe('succeeded')
    expect(offered()).toEqual([['desk__params']])
  })

  test('makes a tool step wait, and its call is made once', async () => {
    const made = await startWithout(patient)
    const id = await made.create(planned([{ tool: 'desk.params', input: {} }]))
    await waitsForTool(id)
    expect(outline(await made.events(id))).not.toContain('tool_call_start desk.params')
    await install()
    const course = outline(await made.ended(id))
    expect(course.at(-1)).toBe('succeeded')
    expect(course.filter((word) => word === 'invoked desk.params succeeded')).toHaveLength(1)
  })

  test.each([
    ['an agent step', [named]],
    ['a tool step', [{ tool: 'desk.params', input: {} }]],
  ])('that stays away fails %s by name; a retry looks again', async (__, steps) => {
    const made = await startWithout(impatient)
    const { id, events } = await made.play(planned(steps))
    expect(outline(events).at(-1)).toBe('failed tool_unavailable')
    expect(offered()).toEqual([])
    const failure = await made.include(id, 'failure')
    expect(failure).toMatchObject({
      reason_code: 'tool_unavailable',
      message: expect.stringMatching(/Given up after .* The MCP server "desk" is not connected/),
    })
    await install()
    await connected(made)
    await made.command(id, 'retry')
    expect(outline(await made.ended(id, 2)).at(-1)).toBe('succeeded')
  })
})

test('a call of a tool that the step does not name waits too, and then the model is told', async () => {
  await listOnce()
  mock.reset()
  mock.on({ ...worker, toolCallId: 'call_look' }, { content: 'It is away.' })
  mock.on(worker, { toolCalls: [{ name: 'desk__params', arguments: '{}', id: 'call_look' }] })
  mock.on(judge, { content: JSON.stringify({ decision: 'stop', reason: 'done' }) })
  const { events } = await (await start(impatient)).play(planned([{ instruction: 'Look.' }]))
  expect(outline(events)).toContain('worker continue tool_retry')
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([
    { tool_outcome: 'failed', tool_output_summary: { preview: expect.stringContaining('is not connected') } },
  ])
  expect(outline(events).at(-1)).toBe('succeeded')
})

test('short waits for a tool are no events', async () => {
  const made = await start({ ...impatient, parkAboveMs: 60_000 })
  await lost(made)
  const { events } = await made.play(planned([named]))
  expect(outline(events).at(-1)).toBe('failed tool_unavailable')
  expect(outline(events)).not.toContain('worker continue tool_retry')
})

test('a tool that the connected server does not have fails the step at once', async () => {
  await install()
  const made = await start(patient)
  for (const step of [
    { instruction: 'Look.', tools: ['desk.nothing'] },
    { tool: 'desk.nothing', input: {} },
  ]) {
    const { id, events } = await made.play(planned([step]))
    expect(outline(events).at(-1)).toBe('failed tool_unavailable')
    const message = 'The MCP server "desk" has no tool "nothing".'
    expect(await made.include(id, 'failure')).toMatchObject({ message })
  }
  expect(offered()).toEqual([])
})

test('the health check says which servers each worker has, to keys only', async () => {
  await install()
  const made = await start(patient)
  await connected(made)
  const shown = async (caller: Caller) => (await caller.get('/health/deps')).json<Dependencies>().mcp_servers
  const isShown = async () => (await shown(made.acme))?.[0]?.connected === true
  await expect.poll(isShown, { timeout: 10_000 }).toBe(true)
  expect(await shown(made.acme)).toEqual([
    { server: 'desk', worker_id: expect.any(String), connected: true, tools: expect.any(Number) },
  ])
  expect(await shown(new Caller(made.service.url, ''))).toBeUndefined()
})
