// A value that is masked wherever it appears can be found by trying: list all candidates, and look which one is masked.
// The attacker is a model, a web page, or a client that may fork a run but was not shown its values.
import type { CreatedRun } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Exposure } from '../../src/tools/port/tool.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { type Bench, outline, planned } from '../support/engine.ts'
import { stub, withMcpConfig } from '../support/mcp.ts'
import { type OwnTool, ownTool } from '../support/own-tool.ts'
import { type PretendWeb, page, startPretendWeb } from '../support/pretend-web.ts'
import { callTools, type Reply, say } from '../support/providers/script.ts'

const exposed = (name: string, exposure: Exposure): OwnTool => ({ ...ownTool({ name }), exposureOf: () => exposure })
const post = exposed('post', { sendsOut: true })
const lookUp = { ...ownTool({ name: 'look_up' }), run: async () => ({ phone: '0171 1234567', pin: '4711' }) }

let agents: AgentBench
let bench: Bench
let web: PretendWeb
beforeAll(async () => {
  web = await startPretendWeb()
  agents = await withMcpConfig({ open: { ...stub(), exposure: ['sends_out'] } }, (path) =>
    AgentBench.start({ tools: [post, lookUp, web.tool], env: { RUNWRIGHT_MCP_CONFIG: path } }),
  )
  bench = agents.bench
  await bench.service.log.nth(1, (line) => line.includes('MCP server connected'))
})
beforeEach(() => web.forget())
afterAll(async () => {
  await agents.stop()
  await web.stop()
})

const pin = '4711'
const call = (name: string, args: object = {}): Reply => callTools([{ name: name.replace('.', '__'), args }])
const list = (from: number, to: number) =>
  call('run_javascript', {
    code: `return Array.from({ length: ${to - from} }, (_, n) => String(${from} + n).padStart(4, '0')).join(' ')`,
  })
const sum = [{ name: 'calculator', args: { expression: '1' } }]
const agent = { id: 'work', instruction: 'Help the customer.' }
const tagged = (value: unknown = pin, allow?: string[]) =>
  planned([agent], [], {
    input: { pin: value },
    sensitivity_tags: [{ path: '$.input.pin', classification: 'credential', ...(allow && { allow }) }],
  })

/** Plays the model's answers until the run pauses. Returns what the approver sees. */
async function untilAsked(answers: readonly Reply[], body: object) {
  agents.script({ worker: answers, judge: verdict('continue') })
  const id = await bench.create(body)
  await bench.waits(id)
  return { id, asked: await bench.include(id, 'awaiting_input') }
}

/** Plays the model's answers to the end of the run. */
async function play(answers: readonly Reply[], body: object) {
  agents.script({ worker: answers, judge: verdict('continue') })
  const { id, events } = await bench.play(body)
  expect(outline(events).at(-1)).toBe('succeeded')
  return id
}

const noticed = (id: string) =>
  bench.service.log.all.filter((line) => line.includes(id) && line.includes('a model may know them'))

describe('a model', () => {
  test('that lists all PINs in four calls asks before it sends anything, in any form, to anyone', async () => {
    const lists = [0, 2500, 5000, 7500].map((from) => list(from, from + 2500))
    const { id, asked } = await untilAsked([...lists, call('open.params', { text: '1174' }), say('Done.')], tagged())
    expect(AgentBench.textOf(agents.asked('worker').at(-1))).toContain('4710 *** 4712')
    expect(asked).toMatchObject({
      tool: 'open.params',
      has_read: ['sensitive'],
      why: 'This call sends data out, and the model may have found out a sensitive value of the run.',
    })
    expect(noticed(id)).toHaveLength(1)
    expect(noticed(id)[0]).toContain('$.input.pin')
    expect(noticed(id)[0]).toContain('the result of run_javascript')
    await bench.signal(id, 'approve')
    await bench.ended(id)
  })

  test.each<[string, Reply[]]>([
    ['in its text', [callTools(sum, { text: '4709 4710 4711 4712' })]],
    ['in the arguments of a call', [call('calculator', { expression: '4711' })]],
    ['in base64', [callTools(sum, { text: btoa('4711') })]],
    ['in a key', [call('look_up', { 4711: true })]],
    ['as the name of a tool', [call('tool4711')]],
    ['as a number', [call('run_javascript', { code: 'return 4700 + 11' })]],
    ['in an error', [call('run_javascript', { code: 'throw new Error("none of 4710, " + (4700 + 11))' })]],
  ])('that tries the value %s asks before it sends', async (_, tries) => {
    const { id } = await untilAsked([...tries, call('post', { text: '1174' })], tagged())
    expect(post.callsOf(id)).toEqual([])
  })

  test('that writes a value that it cannot have guessed asks, too: it knows it from elsewhere', async () => {
    const answers = [call('calculator', { expression: 'kestrel-93-osprey-17x4' }), call('post', { text: 'x' })]
    await untilAsked(answers, tagged('kestrel-93-osprey-17x4'))
  })

  test('still asks after the run was given back and claimed again, and for each call', async () => {
    const steps = [agent, { id: 'gate', await_input: {} }, { id: 'send', tool: 'post', input: { text: 'x' } }]
    agents.script({ worker: [list(4700, 4800), say('Done.')], judge: verdict('continue') })
    const id = await bench.create({ ...tagged(), plan: { steps } })
    await bench.waits(id)
    await bench.signal(id, 'approve')
    await bench.waits(id, 2)
    expect((await bench.include(id, 'awaiting_input')).tool).toBe('post')
  })

  test('that uses the placeholder, and lists no values, is not asked about', async () => {
    const answers = [call('calculator', { expression: '1 + 1' }), call('post', { text: 'hello' })]
    const id = await play([...answers, say('I used {{secret:$.input.pin}}.')], tagged(pin, ['tool:post']))
    expect(post.callsOf(id)).toHaveLength(1)
    expect(noticed(id)).toEqual([])
  })

  test('whose code got the value, with its whole output masked, learns nothing', async () => {
    const code = 'return ["4710", "{{secret:$.input.pin}}", "4712"]'
    const answers = [call('run_javascript', { code }), call('post', { text: 'hello' }), say('Done.')]
    const id = await play(answers, tagged(pin, ['tool:run_javascript']))
    expect(noticed(id)).toEqual([])
  })
})

describe('a page', () => {
  const fetching = call('http_fetch', { url: 'https://shop.example/list' })
  const answers = [fetching, call('post', { text: '1174' }), say('Done.')]

  test('that lists the values is noticed', async () => {
    web.pages.set('/list', page('text/plain', '4709, 4710, 4711, 4712'))
    const { asked } = await untilAsked(answers, tagged())
    expect(asked).toMatchObject({ tool: 'post', has_read: ['untrusted', 'sensitive'] })
  })

  test('of a host that the tag allows may contain the value', async () => {
    web.pages.set('/list', page('text/plain', 'pin 4711'))
    const id = await play(answers, tagged(pin, ['host:shop.example']))
    expect(post.callsOf(id)).toHaveLength(1)
  })

  test('may contain a value that cannot be found by trying', async () => {
    web.pages.set('/list', page('text/plain', 'card 4111 1111 1111 1111'))
    const id = await play(answers, tagged('4111 1111 1111 1111'))
    expect(post.callsOf(id)).toHaveLength(1)
  })
})

test('a tool of the operator that returns trusted data may return the value', async () => {
  const id = await play([call('look_up'), call('post', { text: 'hello' }), say('Done.')], tagged())
  expect(AgentBench.textOf(agents.asked('worker').at(-1))).toContain('"pin":"***"')
  expect(post.callsOf(id)).toHaveLength(1)
})

describe('a client that forks a run', () => {
  let id: string
  beforeAll(async () => {
    const start = { id: 'start', tool: 'calculator', input: { expression: '1' } }
    ;({ id } = await bench.play(
      planned([start], [], {
        input: { pin, note: `call ${pin}` },
        metadata: { team: 'support', memo: `not ${pin}` },
        sensitivity_tags: [{ path: '$.input.pin', classification: 'credential' }],
      }),
    ))
  })
  const fork = (body: object) =>
    bench.acme.post(`/v1/runs/${id}/fork`, { from_step: 'start', ...body }, { 'idempotency-key': crypto.randomUUID() })

  test.each([
    ['a list of candidates', { metadata: { list: ['4710', '4711', '4712'] } }],
    ['candidates as keys', { metadata: { 4710: 1, 4711: 1 } }],
    ['one candidate, right or wrong', { metadata: { team: '4711' } }],
    ['one candidate, right or wrong', { metadata: { team: '4712' } }],
    ['the whole text around a masked value', { metadata: { team: 'support', memo: 'not 4711' } }],
    ['a number', { metadata: { list: [4711] } }],
  ])('cannot test %s with new metadata', async (_, change) => {
    const reply = await fork(change)
    expect(reply.status, reply.text).toBe(400)
    expect(reply.json()).toMatchObject({ reason_code: 'INPUT_PAYLOAD_INVALID' })
    expect(reply.json<{ message: string }>().message).toMatch(/^metadata: .*\(\$\.input\.pin\).* Send input with/)
  })

  test.each([
    ['the metadata as they are shown', { metadata: { team: 'support', memo: 'not ***' } }],
    ['metadata without texts', { metadata: { n: 1, on: true } }],
    ['a new input with the values', { input: { pin: '0815' }, metadata: { list: ['4711', '0815'] } }],
  ])('can send %s', async (_, change) => {
    const reply = await fork(change)
    expect(reply.status, reply.text).toBe(201)
    await bench.ended(reply.json<CreatedRun>().id)
  })

  test('is not told the values of the run by those of a new input', async () => {
    const reply = await fork({ input: { pin: '0815' }, metadata: { list: ['4711', '0815'] } })
    const { id: made } = reply.json<CreatedRun>()
    expect(await bench.include(made, 'input')).toMatchObject({ metadata: { list: ['4711', '***'] } })
    await bench.ended(made)
  })
})

test('an answer that repeats a short value is marked in the audit log, with the key that sent it', async () => {
  const body = { ...tagged(), plan: { steps: [{ id: 'gate', await_input: {} }] } }
  const answer = async (payload: unknown) => {
    const id = await bench.create(body)
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload })
    await bench.ended(id)
    return id
  }
  const [guessed, other] = [await answer(['4710', '4711', '4712']), await answer(['4710', '4712'])]
  const targets = [guessed, other].map((id) => fromWireId('run', id))
  const rows = await bench.service.database.query<{ details: string }>({
    text: `select details from audit_queue where action = 'run.signal' and run_id = any($1::uuid[])
union all
select details from audit_entries where action = 'run.signal' and target = any($2)`,
    values: [targets, [guessed, other]],
  })
  const details = rows.map((row) => JSON.parse(row.details))
  expect(details).toHaveLength(2)
  expect(details).toContainEqual({ action: 'submit_input', repeats_sensitive_value: true })
  expect(details).toContainEqual({ action: 'submit_input' })
})
