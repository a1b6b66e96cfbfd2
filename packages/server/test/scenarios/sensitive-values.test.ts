// Forty tagged values go through everything a run can do: tools get them as they are, and they appear nowhere else.
import type { Event, PlanStep, SandboxStep, ToolSummary } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { canaries, canaryDocument, canaryTags, dumpTables, findCanaries, writings } from '../support/canaries.ts'
import { type Bench, ofType, startBench, type Value } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const shape = {
  description: 'For tests.',
  input: z.looseObject({}),
  effectOf: () => 'read' as const,
  timeoutSeconds: 60,
}
const received: unknown[] = []

const everyWriting = (input: unknown): unknown =>
  Object.fromEntries(
    Object.entries(input as Value).map(([key, value]) => [
      key,
      { texts: writings(value as string), [`key ${value}`]: value, list: [value, [value]] },
    ]),
  )

const echo: Tool = {
  ...shape,
  name: 'echo',
  run: async (input) => {
    received.push(input)
    return everyWriting(input)
  },
}

const thrower: Tool = {
  ...shape,
  name: 'thrower',
  run: async (input) => {
    received.push(input)
    const error = new Error(`refused: ${JSON.stringify(everyWriting(input))}`)
    error.stack = `${error.message}\n at ${Object.values(input as Value).join('/')}`
    throw error
  },
}

const held = ownTool({ name: 'held', held: true })
const taker = ownTool({ name: 'taker' })

const templates = Object.fromEntries(canaries.map(({ template }, n) => [`v${n}`, `{{${template}}}`]))
const values = Object.fromEntries(canaries.map(({ value }, n) => [`v${n}`, value]))
const placeholders = Object.fromEntries(
  canaries.map(({ path }, n) => [`v${n}`, `{{secret:${path}${n % 4 === 3 ? '.inner.leaf' : ''}}}`]),
)
/** In a plan `{{` opens a template. */
const literals = Object.fromEntries(Object.entries(values).filter(([, value]) => !String(value).includes('{{')))
const allSaid = canaries.map(({ value }) => `${value} and ${writings(value)[9]}`).join(' … ')

/** A run with all forty; its agent steps play the script. */
function tagged(steps: readonly SandboxStep[], plan: readonly PlanStep[] | undefined) {
  const { input, metadata } = canaryDocument()
  return {
    input: { ...input, [`key ${canaries[0]?.value}`]: { kept: true }, sandbox: { steps } },
    metadata,
    attachment_refs: canaries.slice(8, 30).map(({ value }) => `https://files.test/?q=${encodeURIComponent(value)}`),
    sensitivity_tags: [
      ...canaryTags,
      { path: `$.input.group[?@ == ${JSON.stringify(canaries[0]?.value)}]`, classification: 'pii' },
      { path: '$.input.short', classification: 'pii' },
      { path: '$.input.yes', classification: 'pii' },
    ],
    ...(plan
      ? { plan: { version: 'v2', goal: `use ${canaries[8]?.value}`, steps: plan } }
      : { routing_hint: 'skip_planning' }),
  }
}

let bench: Bench
/** All that clients were told. */
const heard: [string, string][] = []

beforeAll(async () => {
  bench = await startBench(
    { RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0', RUNWRIGHT_LOG_LEVEL: 'trace' },
    { tools: [echo, thrower, held, taker] },
  )
})
afterAll(() => bench.stop())

async function listen(id: string): Promise<void> {
  const stream = await bench.acme.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(({ type }) => type === 'run.worker.succeeded'), 20_000)
  heard.push(['stream', JSON.stringify(stream.events)])
  // What was cut into pieces is put together again by every client.
  heard.push([
    'deltas',
    ofType(stream.events, 'step.progress')
      .map((value) => value.content_delta ?? '')
      .join(''),
  ])
  stream.close()
  const includes = 'awaiting_input,input,signals,plan,limits,usage,failure'
  for (const path of [`/v1/runs/${id}?include=${includes}`, `/v1/runs/${id}/events?limit=200`, '/v1/runs?limit=200'])
    heard.push([path, (await bench.acme.get(path)).text])
}

const summaryOf = (events: readonly Event[], name: string, which: 'input' | 'output'): ToolSummary => {
  const call = ofType(events, 'run.tool.invoked').find(({ tool_name }) => tool_name === name)
  return call?.[`tool_${which}_summary`] as ToolSummary
}

describe.sequential('forty canaries', () => {
  test('in tool steps: templates give the tool the true values, and every echo of them is scrubbed', async () => {
    received.length = 0
    const plan: PlanStep[] = [
      { id: 'echo', tool: 'echo', input: templates },
      { id: 'literal', tool: 'echo', input: { ...literals, header: `Basic ${btoa('user:canary-plain-8-kestrel')}` } },
      { id: 'named', tool: 'echo', input: placeholders },
      { id: 'again', instruction: `Repeat {{steps.echo.content}} and ${canaries[0]?.value}` },
    ]
    const id = await bench.create(tagged([{ say: allSaid, output: { values, list: canaries } }], plan))
    const events = await bench.ended(id)
    expect(ofType(events, 'run.worker.succeeded')).toHaveLength(1)
    expect(received[0]).toEqual(values)
    expect(received[1]).toEqual({ ...literals, header: `Basic ${btoa('user:canary-plain-8-kestrel')}` })
    expect(received[2]).toEqual(values)
    await listen(id)
  })

  test('in agent steps: said, streamed word by word, thrown back by tools, and saved', async () => {
    received.length = 0
    const tools = [
      { name: 'echo', input: placeholders },
      { name: 'echo', input: values },
      { name: 'thrower', input: values },
      { name: 'memory_save', input: { title: `about ${canaries[0]?.value}`, content: allSaid } },
      { name: 'memory_save', input: { title: 'placeholders', content: Object.values(placeholders).join(' ') } },
      { name: `no tool ${canaries[1]?.value}`, input: { any: canaries[1]?.value } },
    ]
    const id = await bench.create(tagged([{ say: allSaid, chunk_ms: 1, tools }, { say: 'done' }], undefined))
    const events = await bench.ended(id, 1, 30_000)
    expect(ofType(events, 'run.worker.succeeded')).toHaveLength(1)
    expect(received).toEqual([values, values, values])
    const outcomes = ofType(events, 'run.tool.invoked').map(
      ({ tool_name, tool_outcome }) => `${tool_name} ${tool_outcome}`,
    )
    expect(outcomes.filter((outcome) => outcome === 'memory_save succeeded')).toHaveLength(2)
    expect(events.some(({ payload }) => payload.value.kind === 'content_delta' && payload.redacted)).toBe(true)
    await listen(id)
  })

  test('in failures: what a provider says is scrubbed, also of a run that is tried again', async () => {
    const message = `the provider says ${allSaid}`
    const fails = (times: number): SandboxStep => ({
      fail: { message, reason_code: `odd ${canaries[0]?.value}`, times },
    })
    const id = await bench.create(tagged([fails(1), { say: allSaid }], undefined))
    await bench.ended(id)
    expect(JSON.stringify(await bench.include(id, 'failure'))).toContain('***')
    expect((await bench.command(id, 'retry')).status).toBe(200)
    await listen(id)
  })

  test('in waits and signals: a prompt shows none, and a payload that repeats them still reaches the tool', async () => {
    received.length = 0
    const plan: PlanStep[] = [
      {
        id: 'gate',
        await_input: { prompt: `Use {{${canaries[0]?.template}}} or ${canaries[4]?.value}?`, reason_code: 'ask' },
      },
      { id: 'echo', tool: 'echo', input: { v0: '{{steps.gate.output.v0}}', v5: '{{signal.payload.v5}}' } },
    ]
    const id = await bench.create(tagged([], plan))
    await bench.waits(id)
    const wait = await bench.include<{ prompt: string }>(id, 'awaiting_input')
    expect(wait.prompt).toBe('Use *** or ***?')
    expect((await bench.signal(id, 'submit_input', { payload: values })).status).toBe(200)
    await listen(id)
    expect(received).toEqual([{ v0: values.v0, v5: values.v5 }])
  })

  test('after a worker was lost: the next one calls the tool with the same values', async () => {
    const tools = [{ name: 'held', input: values }]
    const id = await bench.create(tagged([{ tools, say: allSaid }], undefined))
    await held.called(id)
    await bench.service.database.query({
      text: "update runs set lease_until = clock_timestamp() - interval '1 hour', worker_id = gen_random_uuid() where id = $1",
      values: [fromWireId('run', id)],
    })
    await held.called(id, 2)
    held.release()
    await listen(id)
    expect(held.callsOf(id).map(({ input }) => input)).toEqual([values, values])
  })

  test('would be found in any of their writings', () => {
    for (const { value } of canaries)
      for (const writing of writings(value)) expect(findCanaries('', `before ${writing} after`)).not.toEqual([])
  })

  test('leave stars in their places, short ones and booleans too', async () => {
    const [row] = await bench.service.database.query<{ input: string }>({
      text: 'select input from run_inputs limit 1',
    })
    expect(JSON.parse(row?.input ?? '')).toMatchObject({ short: '***', yes: '***', group: { item_0: '***' } })
    expect(JSON.parse(row?.input ?? '').list[0]).toEqual({ other: 1 })
  })

  test('are nowhere: not in any table, answer, stream, log line or memory', async () => {
    for (const path of ['/v1/memory/items?limit=200&include_harness=true', '/v1/memory/export?include_harness=true']) {
      const reply = await bench.acme.get(path)
      expect(reply.status).toBe(200)
      heard.push([path, reply.text])
    }
    expect(heard.filter(([name, text]) => name !== 'deltas' && text.length < 20)).toEqual([])
    const seen = [
      ...(await dumpTables(bench.service.database)),
      ...heard,
      ...bench.service.log.all.map((line): [string, string] => ['log', line]),
    ]
    expect(seen.flatMap(([name, text]) => findCanaries(name, text))).toEqual([])
  })
})

describe('what is shown instead', () => {
  const input = { password: 'correct horse', token: 'battery staple', pin: 7777, note: 'n' }
  const sensitivity_tags = [
    { path: '$.input.password', classification: 'credential' },
    { path: '$.input.token', classification: 'credential', redaction: 'drop' },
    { path: '$.input.pin', classification: 'pii' },
  ]
  const call = { a: '{{input.password}}', b: '{{input.token}}', c: '{{input.pin}}', d: 'pin {{input.pin}}', e: 'plain' }
  const plan = { version: 'v2', steps: [{ id: 'taker', tool: 'taker', input: call }] }

  test('a summary masks or drops, and counts what it hides', async () => {
    const id = await bench.create({ input, metadata: {}, sensitivity_tags, plan })
    const events = await bench.ended(id)
    const filled = { a: 'correct horse', b: 'battery staple', c: 7777, d: 'pin 7777', e: 'plain' }
    expect(taker.callsOf(id).map(({ input }) => input)).toEqual([filled])
    for (const which of ['input', 'output'] as const) {
      expect(summaryOf(events, 'taker', which)).toEqual({
        schema_version: 'v1',
        preview: '{"a":"***","c":"***","d":"pin ***","e":"plain"}',
        highlights: [
          { key: 'a', value: '***', redacted: true },
          { key: 'c', value: '***', redacted: true },
          { key: 'd', value: 'pin ***', redacted: true },
          { key: 'e', value: 'plain', redacted: false },
        ],
        stats: {
          fields_total: 5,
          fields_redacted: 4,
          bytes_before_redaction: JSON.stringify(filled).length,
          bytes_after_redaction: 47,
        },
        truncated: false,
      })
    }
    const redacted = events.filter(({ payload }) => payload.redacted).map(({ type }) => type)
    expect(redacted).toEqual(['run.created', 'run.tool.invoked', 'step.done'])
    expect((await bench.acme.run(id)).event_payload).toEqual({
      redacted: true,
      value: {
        content: '{"a":"***","c":"***","d":"pin ***","e":"plain"}',
        output: { a: '***', c: '***', d: 'pin ***', e: 'plain' },
      },
    })
  })

  test('a plan that repeats a value is shown with its placeholder', async () => {
    const literal = { version: 'v2', steps: [{ id: 'taker', tool: 'taker', input: { a: 'correct horse' } }] }
    const id = await bench.create({ input, metadata: {}, sensitivity_tags, plan: literal })
    await bench.ended(id)
    const shown = await bench.include<typeof literal>(id, 'plan')
    expect(shown.steps[0]?.input).toEqual({ a: '{{secret:$.input.password}}' })
    expect(taker.callsOf(id).map(({ input }) => input)).toEqual([{ a: 'correct horse' }])
  })

  test('a placeholder that names nothing secret of this run stays text', async () => {
    const odd = { a: '{{secret:$.input.note}}', b: 'x {{secret:$.input.none}}', c: '{{secret:$.env.HOME}}' }
    const id = await bench.create({
      input,
      metadata: {},
      sensitivity_tags,
      plan: { version: 'v2', steps: [{ id: 'taker', tool: 'taker', input: odd }] },
    })
    await bench.ended(id)
    expect(taker.callsOf(id).map(({ input }) => input)).toEqual([odd])
  })

  test('the same body is a replay and another one a conflict, although neither is kept', async () => {
    const body = { input, metadata: {}, sensitivity_tags, plan }
    const headers = { 'idempotency-key': 'sealed-twice' }
    expect((await bench.acme.create(body, headers)).status).toBe(201)
    expect((await bench.acme.create(body, headers)).json()).toMatchObject({ replayed: true })
    const other = { ...body, input: { ...input, password: 'another horse' } }
    expect((await bench.acme.create(other, headers)).status).toBe(409)
  })
})
