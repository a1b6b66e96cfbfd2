// Runs that use the tools of MCP servers, through the whole service: the public `server-everything`, one that is
// broken, and one that dies.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, type Value } from '../support/engine.ts'
import { everything, stub, withMcpConfig } from '../support/mcp.ts'

let bench: Bench
beforeAll(async () => {
  const servers = {
    everything: { ...everything, deny: ['get-env'], exposure: [] },
    stub: stub(),
    broken: { command: 'no-such-program-anywhere', allow: ['tool'] },
    off: { command: 'no-such-program-anywhere', disabled: true },
  }
  const providerRetry = { firstMs: 10, maxMs: 50, giveUpMs: 100 }
  bench = await withMcpConfig(servers, (path) => startBench({ RUNWRIGHT_MCP_CONFIG: path }, { providerRetry }))
  await connected(2)
})
afterAll(() => bench.stop())

const logged = (message: string): number => bench.service.log.all.filter((line) => line.includes(message)).length
const connected = (times: number) => bench.service.log.nth(times, (line) => line.includes('MCP server connected'))
const echo = { name: 'everything.echo', input: { message: 'hello' } }
const resultOf = async (id: string): Promise<Value> => {
  const run = (await bench.acme.get(`/v1/runs/${id}`)).json<{ event_payload: { value: Value } }>()
  return run.event_payload.value
}

test('a model calls the tool of a server', async () => {
  const { events } = await bench.play(scripted([{ say: 'after', tools: [echo] }]))
  expect(outline(events)).toContain('invoked everything.echo succeeded')
  expect(ofType(events, 'run.tool.invoked')[0]?.tool_output_summary).toMatchObject({ preview: 'Echo: hello' })
  expect(outline(events).at(-1)).toBe('succeeded')
})

test('a tool step calls it without a model, and its output goes on to the next step', async () => {
  const { id } = await bench.play(
    planned([
      { id: 'sum', tool: 'everything.get-sum', input: { a: 2, b: 40 } },
      { tool: 'everything.echo', input: { message: '{{steps.sum.output}}' } },
    ]),
  )
  expect(await resultOf(id)).toMatchObject({ output: 'Echo: The sum of 2 and 40 is 42.' })
})

test('a server learns of the run and of the call', async () => {
  const { id, events } = await bench.play(planned([{ tool: 'stub.params', input: {} }]))
  const [invoked] = ofType(events, 'run.tool.invoked')
  expect((await resultOf(id)).output).toMatchObject({
    _meta: { 'runwright/run_id': id, 'runwright/tool_call_id': invoked?.tool_call_id },
  })
})

test('the list of tools has those of the connected servers, except denied ones', async () => {
  const { tools } = (await bench.acme.get('/v1/tools')).json<{ tools: { name: string; server: string | null }[] }>()
  const names = tools.filter(({ server }) => server !== null).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['everything.echo', 'stub.params']))
  expect(names).not.toContain('everything.get-env')
})

describe('a server that is broken', () => {
  test('is no trouble to a run that does not use it', async () => {
    const { events } = await bench.play(planned([{ tool: 'calculator', input: { expression: '1+1' } }]))
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(logged('MCP server not connected')).toBe(1)
  })

  test('fails the calls of a run that uses it, which is told why', async () => {
    const { events } = await bench.play(scripted([{ say: 'after', tools: [{ name: 'broken.tool' }] }]))
    expect(outline(events)).toContain('invoked broken.tool failed')
    const [invoked] = ofType(events, 'run.tool.invoked')
    expect(invoked?.tool_output_summary).toMatchObject({
      preview: expect.stringContaining('The MCP server "broken" is not connected'),
    })
  })
})

test('a server that dies in mid-call makes the run ask about the call, and serves the next run', async () => {
  const before = await bench.play(planned([{ tool: 'stub.pids', input: {} }]))
  const { pids } = (await resultOf(before.id)).output as { pids: number[] }
  const id = await bench.create(scripted([{ say: 'after', tools: [{ name: 'stub.hang' }] }]))
  await bench.until(id, (events) => outline(events).includes('tool_call_start stub.hang'))
  process.kill(pids[0] as number, 'SIGKILL')
  await bench.waits(id)
  const { prompt } = await bench.include(id, 'awaiting_input')
  expect(prompt).toContain('The earlier attempt can no longer be sent.')
  await bench.signal(id, 'submit_input', { call: { error: 'It died.' } })
  expect(outline(await bench.ended(id))).toContain('invoked stub.hang failed')
  await connected(3)
  const after = await bench.play(planned([{ tool: 'stub.pids', input: {} }]))
  expect(outline(after.events).at(-1)).toBe('succeeded')
})

test.each(['everything.get-env', 'broken.other', 'off.tool', 'nobody.tool', 'everything', 'everything.'])(
  'a plan that names %s is refused',
  async (tool) => {
    const reply = await bench.acme.create(planned([{ tool, input: {} }]))
    expect(reply.status).toBe(400)
    expect(reply.json()).toMatchObject({ reason_code: 'INPUT_PLAN_INVALID' })
  },
)

test('a process that only serves the API knows the tools without connecting', async () => {
  const servers = { broken: { command: `${'$'}{NOT_SET_HERE}`, allow: ['tool'] } }
  const start = (path: string) => startBench({ RUNWRIGHT_MCP_CONFIG: path }, { worker: false })
  const api = await withMcpConfig(servers, start)
  try {
    await api.create(planned([{ tool: 'broken.tool', input: {} }]))
    expect(api.service.log.all.join()).not.toContain('MCP server')
  } finally {
    await api.stop()
  }
})
