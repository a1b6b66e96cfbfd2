// What a collector of traces receives for a run, and what providers and tools are told about it.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { openTracing } from '../../src/telemetry/traces/open-tracing.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { AgentBench, json } from '../support/agents.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { WordEmbedder } from '../support/embedder.ts'
import { outline, untilEnded } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { type PretendWeb, startPretendWeb } from '../support/pretend-web.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

const silent = createLogger({ level: 'silent' })
const lookUp = ownTool({ name: 'look_up' })
const payments: (string | undefined)[] = []
/** Fails the first time, when the money may have been sent. */
const pay: Tool = {
  ...ownTool({ name: 'pay', effect: 'once' }),
  run: async (_, { traceparent }) => {
    payments.push(traceparent)
    if (payments.length === 1) throw new Error('the connection broke')
    return { paid: true }
  },
}
const agentFile = '---\ndescription: Finds prices.\njudge: never\n---\nPrices are in euros.\n'

let collector: Collector
let web: PretendWeb
let agents: AgentBench
let folder: string

/** The exporter reads the environment of the process, as the standard says. */
async function openHere(env: Record<string, string>) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const tracing = await openTracing(env, silent)
  vi.unstubAllEnvs()
  return tracing
}

const otel = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' })

beforeAll(async () => {
  collector = await startCollector()
  web = await startPretendWeb()
  const tracing = await openHere({ ...otel(), OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await writeFile(join(folder, 'pricer.md'), agentFile)
  const env = { RUNWRIGHT_AGENTS_DIR: folder }
  agents = await AgentBench.start({ env, tools: [lookUp, pay, web.tool], embedder: new WordEmbedder(), tracing })
})
afterAll(async () => {
  await agents.stop()
  await web.stop()
  await collector.stop()
  await rm(folder, { recursive: true })
})
afterEach(() => web.forget())

const script = {
  planner: json({
    goal: 'Know the secret-goal',
    steps: [
      { id: 'price', tool: 'http_fetch', input: { url: 'http://shop.example/price' } },
      { id: 'say', instruction: 'Say the secret-instruction', depends_on: ['price'] },
    ],
  }),
  worker: [callTools([{ name: 'look_up', args: { word: 'secret-argument' } }]), say('The secret-answer.')],
}
const body = { input: { question: 'What is the secret-question?' }, metadata: {}, routing_hint: 'require_planning' }

const client = { traceId: 'a3ce929d0e0e4736a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${client.traceId}-${client.spanId}-01`

async function play(headers: Record<string, string> = {}, more: object = {}) {
  agents.script({ ...script, ...more })
  // A run that recalls the notes of another one must ask before it sends anything out.
  const created = await agents.bench.acme.create({ ...body, workspace_id: randomUUID() }, headers)
  expect(created.status, created.text).toBe(201)
  const { id } = created.json<{ id: string }>()
  const events = await untilEnded(agents.bench.acme, id)
  expect(outline(events).at(-1), outline(events).join(', ')).toBe('succeeded')
  return { id, traceId: String(fromWireId('run', id)).replaceAll('-', '') }
}

const tree = (spans: readonly CollectedSpan[]): string[] =>
  spans
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .map(({ name, parentSpanId }) => {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId
      return parent ? `${name} < ${parent}` : name
    })
const attributeOf = (span: CollectedSpan | undefined, key: string) =>
  Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0]
const finishReasonsOf = (span: CollectedSpan) => {
  const found = attributeOf(span, 'gen_ai.response.finish_reasons') as { values: { stringValue: string }[] } | undefined
  return found?.values.map(({ stringValue }) => stringValue)
}
const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name)

const model = 'chat openai-compatible/gpt-test'

describe('a run', () => {
  test('is one trace with the id of the run: its plan, its calls to models and its tool calls', async () => {
    const { id, traceId } = await play()
    const spans = await collector.trace(traceId, 'invoke_workflow')
    expect(tree(spans).toSorted()).toEqual(
      [
        'invoke_workflow',
        'plan < invoke_workflow',
        `${model} < plan`,
        'execute_tool http_fetch < invoke_workflow',
        `${model} < invoke_workflow`,
        'execute_tool look_up < invoke_workflow',
        `${model} < invoke_workflow`,
        `${model} < invoke_workflow`,
      ].toSorted(),
    )
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
    expect(attributeOf(named(spans, 'invoke_workflow'), 'runwright.run.id')).toBe(id)
    expect(attributeOf(named(spans, 'invoke_workflow'), 'runwright.run.status')).toBe('succeeded')
    expect(attributeOf(named(spans, model), 'gen_ai.request.model')).toBe('gpt-test')
    expect(attributeOf(named(spans, model), 'gen_ai.provider.name')).toBe('openai-compatible')
    expect(Number(attributeOf(named(spans, model), 'gen_ai.usage.input_tokens'))).toBeGreaterThan(0)
    expect(attributeOf(named(spans, 'execute_tool look_up'), 'gen_ai.operation.name')).toBe('execute_tool')
  })

  test('joins the trace of the client, and begins before what it did', async () => {
    await play({ traceparent })
    const spans = await collector.trace(client.traceId, 'invoke_workflow')
    const root = named(spans, 'invoke_workflow')
    expect(root?.parentSpanId).toBe(client.spanId)
    expect(tree(spans).filter((line) => line.endsWith('< invoke_workflow'))).toHaveLength(6)
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(BigInt(startTimeUnixNano) + 5_000_000n).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0))
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
    }
  })

  test('with a malformed header, or one of a trace that is not sampled, is created all the same', async () => {
    const { traceId } = await play({ traceparent: '00-no-trace-01' })
    expect(named(await collector.trace(traceId, 'invoke_workflow'), 'invoke_workflow')?.parentSpanId ?? '').toBe('')
    const quiet = 'b3ce929d0e0e4736a3ce929d0e0e4736'
    await play({ traceparent: `00-${quiet}-${client.spanId}-00` })
    const next = await play()
    await collector.trace(next.traceId, 'invoke_workflow')
    expect(collector.spans.all.filter((span) => span.traceId === quiet)).toEqual([])
    expect(agents.asked('worker')[0]?.headers.traceparent).toMatch(/-01$/)
  })

  test('that a client cancels ends its trace too', async () => {
    agents.script({ ...script, worker: callTools([{ name: 'look_up', args: {} }]) })
    const gate = agents.provider.hold()
    const id = await agents.bench.create(body)
    await agents.provider.received(agents.provider.requests.length + 1)
    await agents.bench.command(id, 'cancel')
    const spans = await collector.trace(String(fromWireId('run', id)).replaceAll('-', ''), 'invoke_workflow')
    expect(attributeOf(named(spans, 'invoke_workflow'), 'runwright.run.status')).toBe('cancelled')
    gate.release()
  })
})

test('providers, http_fetch and own tools get the trace, each with the span of its own call', async () => {
  const { traceId } = await play()
  const spans = await collector.trace(traceId, 'invoke_workflow')
  const spanOf = (header: unknown) => spans.find(({ spanId }) => header === `00-${traceId}-${spanId}-01`)?.name
  expect(agents.provider.requests.slice(-4).map(({ headers }) => spanOf(headers.traceparent))).toEqual([
    model,
    model,
    model,
    model,
  ])
  expect(web.requests.map(({ headers }) => spanOf(headers.traceparent))).toEqual(['execute_tool http_fetch'])
  expect(spanOf(lookUp.calls.at(-1)?.context.traceparent)).toBe('execute_tool look_up')
})

test('every span names the run, as the conversation, too; calls to models are of the kind client', async () => {
  const { id, traceId } = await play()
  const spans = await collector.trace(traceId, 'invoke_workflow')
  for (const span of spans) {
    expect([attributeOf(span, 'runwright.run.id'), attributeOf(span, 'gen_ai.conversation.id')]).toEqual([id, id])
    expect(`${span.name} ${span.kind}`).toBe(`${span.name} ${span.name === model ? 3 : 1}`)
  }
  const finished = spans.filter(({ name }) => name === model).map((span) => finishReasonsOf(span))
  expect(finished.toSorted()).toEqual([['stop'], ['stop'], ['stop'], ['tool_call']])
})

test('the calls to models of an agent have its name, and others none', async () => {
  agents.script({ worker: say('Done.') })
  for (const [metadata, name] of [
    [{ agent: 'pricer' }, 'pricer'],
    [{}, undefined],
  ] as const) {
    const id = await agents.bench.create({ ...body, metadata, routing_hint: 'skip_planning' })
    await untilEnded(agents.bench.acme, id)
    const spans = await collector.trace(String(fromWireId('run', id)).replaceAll('-', ''), 'invoke_workflow')
    const workers = spans.filter((span) => attributeOf(span, 'runwright.role') === 'worker')
    expect(workers.map((span) => attributeOf(span, 'gen_ai.agent.name'))).toEqual([name])
  }
})

test('a call that a person lets repeat has a span for each time it was sent, and the tool got each of them', async () => {
  agents.script({ worker: [callTools([{ name: 'pay', args: {} }]), say('Paid.')] })
  const id = await agents.bench.create({ ...body, routing_hint: 'skip_planning' })
  await agents.bench.waits(id)
  await agents.bench.signal(id, 'approve')
  await untilEnded(agents.bench.acme, id)
  const traceId = String(fromWireId('run', id)).replaceAll('-', '')
  const paid = (await collector.trace(traceId, 'invoke_workflow')).filter(({ name }) => name === 'execute_tool pay')
  const spanOf = (header: string | undefined) => paid.find(({ spanId }) => header === `00-${traceId}-${spanId}-01`)
  const sent = payments.map(spanOf)
  expect(sent.map((span) => attributeOf(span, 'error.type'))).toEqual(['failed', undefined])
  expect(new Set(paid.map(({ spanId }) => spanId)).size).toBe(2)
  expect(new Set(paid.map((span) => attributeOf(span, 'gen_ai.tool.call.id'))).size).toBe(1)
})

test('a call that fails is an error with its reason, and its repetition another span', async () => {
  const worker = [fail('overloaded'), say('The secret-answer.')]
  const { traceId } = await play({}, { planner: json({ steps: [{ id: 'a', instruction: 'Say it' }] }), worker })
  const spans = await collector.trace(traceId, 'invoke_workflow')
  const failed = spans.filter(({ status }) => status.code === 2)
  expect(failed).toMatchObject([{ name: model, status: { message: 'provider_unavailable' } }])
  expect(attributeOf(failed[0], 'error.type')).toBe('provider_unavailable')
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  expect(spans.filter((span) => attributeOf(span, 'error.type') !== undefined)).toEqual(failed)
})

test('a tool that a model has invented has no name', async () => {
  const worker = [callTools([{ name: 'secret-tool', args: {} }]), say('Done.')]
  const { traceId } = await play({}, { planner: json({ steps: [{ id: 'a', instruction: 'Say it' }] }), worker })
  const spans = await collector.trace(traceId, 'invoke_workflow')
  expect(named(spans, 'execute_tool other')?.status.message).toBe('failed')
})

test('no span has content', () => {
  const sent = collector.bodies.map((bytes) => bytes.toString()).join('\n')
  expect(sent).toContain('execute_tool http_fetch')
  expect(sent).not.toMatch(/secret-|shop\.example|acme|Say the/)
})

test('protobuf is the default', async () => {
  const tracing = await openHere(otel())
  const run = { id: '01890000-0000-7000-8000-00000000abcd', attempt: 1 }
  tracing?.write({ run, key: 'run', name: 'invoke_workflow', startMs: 1, endMs: 2, attributes: {} })
  await tracing?.stop()
  expect(collector.types.at(-1)).toBe('POST /v1/traces application/x-protobuf')
  expect(collector.bodies.at(-1)?.includes(Buffer.from('0189000000007000800000000000abcd', 'hex'))).toBe(true)
})

test('nothing is opened without a variable that asks for it', async () => {
  expect(await openTracing({}, silent)).toBeUndefined()
  expect(await openTracing({ ...otel(), OTEL_SDK_DISABLED: 'true' }, silent)).toBeUndefined()
  expect(await openTracing({ ...otel(), OTEL_TRACES_EXPORTER: 'none' }, silent)).toBeUndefined()
  const grpc = openTracing({ ...otel(), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, silent)
  await expect(grpc).rejects.toThrow('OTEL_EXPORTER_OTLP_PROTOCOL grpc is not supported')
  await expect(openTracing({ OTEL_TRACES_EXPORTER: 'zipkin' }, silent)).rejects.toThrow('Use otlp, console or none')
  await expect(openTracing({ ...otel(), OTEL_TRACES_SAMPLER: 'some' }, silent)).rejects.toThrow('is not known')
})

test('the log names the run, its request and its trace', async () => {
  const useless = say('This is not a plan.')
  const { id } = await play({ traceparent }, { planner: useless, worker: say('Done.') })
  const lines = agents.bench.service.log.all.map((line) => JSON.parse(line) as Record<string, unknown>)
  const warning = lines.findLast(({ msg }) => msg === 'the planner made no usable plan')
  const request = lines.findLast(({ route, method }) => route === '/v1/runs' && method === 'POST')
  expect(warning).toMatchObject({ run_id: id, request_id: request?.request_id, trace_id: client.traceId })
  expect(request).toMatchObject({ trace_id: client.traceId })
})
