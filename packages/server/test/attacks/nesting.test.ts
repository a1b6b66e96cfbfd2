// Values that nest twenty thousand levels, from everyone who can send one. Code that recurses over such a value
// overflows the stack, which V8 cannot always turn into an error: it may end the process. What holds: each is refused
// or shown as text, the run ends in an orderly way, and the service goes on.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Tool } from '../../src/tools/port/tool.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { outline, planned } from '../support/engine.ts'
import { type PretendWeb, page, startPretendWeb } from '../support/pretend-web.ts'
import { callTools, say } from '../support/providers/script.ts'

const levels = 20_000
const arrays = `${'['.repeat(levels)}${']'.repeat(levels)}`
const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const shapes = [
  ['arrays', arrays],
  ['objects', objects],
  ['arrays without an end', '['.repeat(levels)],
] as const

const deepTool: Tool = {
  name: 'deep',
  description: 'For tests.',
  input: z.looseObject({}),
  effectOf: () => 'read',
  timeoutSeconds: 60,
  run: async () => JSON.parse(objects),
}

let agents: AgentBench
let web: PretendWeb
beforeAll(async () => {
  web = await startPretendWeb()
  agents = await AgentBench.start({ tools: [deepTool, web.tool] })
})
afterAll(async () => {
  await agents.stop()
  await web.stop()
})

const body = { input: { question: 'What?' }, metadata: {}, routing_hint: 'skip_planning' }
const ends = /^(?:succeeded|failed (?!internal_error))/

/** Plays a run that must end, but not with a defect of ours. */
async function play(script: Parameters<AgentBench['script']>[0], run: object = body): Promise<string[]> {
  agents.script(script)
  const { id, events } = await agents.bench.play(run)
  expect(outline(events).at(-1), outline(events).join(', ')).toMatch(ends)
  expect((await agents.bench.acme.get(`/v1/runs/${id}?include=plan,usage,failure`)).status).toBe(200)
  return outline(events)
}

const schema = { type: 'object', properties: { a: {} } }

describe.each(shapes)('%s', (_, text) => {
  test('as the answer of a model', async () => {
    await play({ worker: say([text]) })
  })

  test('in a fence, as structured output', async () => {
    await play({ worker: say([`\`\`\`json\n${text}\n\`\`\``]) }, { ...body, input: { output_schema: schema } })
  })

  test('as the arguments of a call', async () => {
    const call = callTools([{ name: 'calculator', rawArgs: `{"expression":${text}}` }])
    expect(await play({ worker: [call, say('Done.')] })).toContain('succeeded')
  })

  test('as the plan of a planner', async () => {
    const plan = `{"steps":[{"id":"a","tool":"calculator","input":{"expression":${text}}}]}`
    await play({ planner: say([plan]), worker: say('Done.') }, { ...body, routing_hint: 'require_planning' })
  })

  test('as the decision of a judge', async () => {
    await play({ worker: say('Done.'), judge: say([`{"decision":${text},"reason":"x"}`]) })
  })

  test('as a page', async () => {
    web.pages.set('/deep', page('application/json', text))
    const plan = planned([{ id: 'a', tool: 'http_fetch', input: { url: 'http://shop.example/deep' }, max_attempts: 1 }])
    await play({}, plan)
  })

  test.each([
    ['a create', 'POST', '/v1/runs', (nested: string) => `{"input":{"a":${nested}},"metadata":{}}`],
    ['metadata', 'POST', '/v1/runs', (nested: string) => `{"input":{},"metadata":{"a":${nested}}}`],
    ['a plan', 'POST', '/v1/runs', (nested: string) => `{"input":{},"metadata":{},"plan":${nested}}`],
    ['tags', 'POST', '/v1/runs', (nested: string) => `{"input":{},"metadata":{},"sensitivity_tags":${nested}}`],
    ['a key', 'POST', '/v1/keys', (nested: string) => `{"name":${nested}}`],
    ['a webhook', 'POST', '/v1/webhooks', (nested: string) => `{"url":${nested}}`],
    ['a schedule', 'POST', '/v1/schedules', (nested: string) => `{"cron":"* * * * *","run":${nested}}`],
    ['a budget', 'PUT', '/v1/budget', (nested: string) => nested],
  ])('in the body of %s is refused', async (_name, method, path, make) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'deep' }
    const reply = await agents.bench.acme.send({ method, path, headers, body: make(text) })
    expect(reply.status, reply.text).toBeGreaterThanOrEqual(400)
    expect(reply.status, reply.text).toBeLessThan(500)
  })
})

test('as the output of an own tool', async () => {
  await play({}, planned([{ id: 'a', tool: 'deep', input: {}, max_attempts: 1 }]))
})

test('as the result of JavaScript', async () => {
  const code = 'let a = []; for (let n = 0; n < 100000; n += 1) a = [a]; return a'
  await play({}, planned([{ id: 'a', tool: 'run_javascript', input: { code }, max_attempts: 1 }]))
})

test('in an answer of a person', async () => {
  agents.script({ worker: say('Done.'), judge: verdict('stop') })
  const id = await agents.bench.create(planned([{ id: 'gate', await_input: {} }]))
  await agents.bench.waits(id)
  const signal = { action: 'submit_input', payload: 'x', idempotency_key: 'deep' }
  const text = JSON.stringify(signal).replace('"x"', arrays)
  const reply = await agents.bench.acme.post(`/v1/runs/${id}/signal`, text)
  expect([reply.status, reply.json().reason_code]).toEqual([400, 'SIGNAL_PAYLOAD_INVALID'])
})

test('after all this a run succeeds', async () => {
  expect(await play({ worker: json({ well: true }) })).toContain('succeeded')
})
