// What Prometheus reads: every kind of work that a service does is counted, and nothing in it names a customer or a
// run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explain } from '../../src/cli/output/explain.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { MetricsServer } from '../../src/telemetry/metrics-server.ts'
import { watchFleet } from '../../src/telemetry/watch-fleet.ts'
import { type Bench, planned, scripted, startBench, thenStep } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { answerWith, never, Receiver } from '../support/receiver.ts'

const metrics = new Metrics()
const lookUp = ownTool({ name: 'look_up' })
const held = ownTool({ name: 'held', held: true })

let bench: Bench
beforeAll(async () => {
  const env = {
    RUNWRIGHT_STEP_TIMEOUT_SECONDS: '2',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0',
    RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  }
  bench = await startBench(env, { tools: [lookUp, held], metrics })
})
afterAll(() => bench.stop())

/** The value of a sample; 0 if it is not there. */
async function read(sample: string): Promise<number> {
  const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`${sample} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** How much each sample grows while it happens. */
async function growth(samples: readonly string[], happens: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(samples.map(read))
  await happens()
  return Promise.all(samples.map(async (sample, n) => (await read(sample)) - (before[n] ?? 0)))
}

test('a run leaves its mark: created, claimed, its steps, calls and tokens, ended', async () => {
  const samples = [
    'runwright_runs_created_total',
    'runwright_claims_total{class="short"}',
    'runwright_steps_total{kind="agent",outcome="succeeded"}',
    'runwright_steps_total{kind="tool",outcome="succeeded"}',
    'runwright_model_calls_total{model="sandbox",outcome="reply"}',
    'runwright_tool_calls_total{tool="calculator",outcome="succeeded"}',
    'runwright_tool_calls_total{tool="look_up",outcome="succeeded"}',
    'runwright_tool_call_duration_seconds_count{tool="calculator"}',
    'runwright_runs_ended_total{status="succeeded"}',
  ]
  const plan = planned(
    [
      { id: 'sum', tool: 'calculator', input: { expression: '1+1' } },
      { id: 'say', instruction: 'say it' },
    ],
    [{ tools: [{ name: 'look_up', input: {} }] }],
    { run_class: 'short' },
  )
  const grown = await growth(samples, () => bench.play(plan))
  expect(grown).toEqual([1, 1, 1, 1, expect.any(Number), 1, 1, 1, 1])
  expect(grown[4]).toBeGreaterThan(0)
  expect(await read('runwright_tokens_total{model="sandbox",kind="unknown"}')).toBeGreaterThan(0)
})

test('the names that clients and models give are not labels', async () => {
  const samples = [
    'runwright_model_calls_total{model="sandbox",outcome="other"}',
    'runwright_tool_calls_total{tool="other",outcome="failed"}',
    'runwright_runs_ended_total{status="failed"}',
  ]
  const fails = scripted([{ fail: { reason_code: 'invented_by_client' } }])
  const asks = scripted([{ tools: [{ name: 'invented_by_model', input: {} }] }])
  const grown = await growth(samples, async () => {
    await bench.play(fails)
    await bench.play(asks)
  })
  expect(grown.slice(1)).toEqual([1, 1])
  expect(grown[0]).toBeGreaterThan(0)
  const { id } = await bench.play(scripted([{}], { workspace_id: 'ws-secret', subject_id: 'subject-secret' }))
  const text = await metrics.text()
  for (const name of ['invented', 'acme', 'secret', id, id.slice(4)]) expect(text).not.toContain(name)
})

/** Read now: a service reads it only every few seconds. */
function fleetText(): Promise<string> {
  const fleet = new Metrics()
  watchFleet(fleet, bench.service.database)
  return fleet.text()
}

describe('gauges', () => {
  test('show the runs that execute, wait and are queued now', async () => {
    const waits = await bench.create(scripted([thenStep('await_input')]))
    await bench.waits(waits)
    const runs = await bench.create(planned([{ id: 'a', tool: 'held', input: {} }], [], { run_class: 'long' }))
    await held.called(runs)
    const [text, fleet] = await Promise.all([metrics.text(), fleetText()])
    expect(text).toContain('runwright_runs_executing{class="long"} 1\n')
    expect(fleet).toContain('runwright_runs{state="awaiting_input"} 1\n')
    expect(fleet).toContain('runwright_runs{state="running"} 1\n')
    expect(fleet).toContain('runwright_queue_depth{class="default"} 0\n')
    expect(fleet).toContain('runwright_queue_age_seconds{class="default"} 0\n')
    expect(text).toContain('runwright_database_up 1\n')
    expect(text).toMatch(/runwright_database_connections\{pool="reads",state="(busy|idle)"\} \d/)
    expect(text).toMatch(/process_resident_memory_bytes \d{7,}\n/)
  })

  test('a step over its time counts as a stall, and its recovery as one', async () => {
    const samples = [
      'runwright_runs_stalled_total{reason="step_timeout"}',
      'runwright_leases_lost_total',
      'runwright_recoveries_total',
    ]
    const slow = planned([{ id: 'a', tool: 'held', input: {}, timeout_seconds: 0.05 }])
    const grown = await growth(samples, async () => bench.seen(await bench.create(slow), 'run.resumed'))
    expect(grown[0]).toBeGreaterThanOrEqual(1)
    expect(grown[1]).toBe(0)
    expect(grown[2]).toBeGreaterThanOrEqual(1)
  })
})

test('responses are counted by route and status, and streams are clients with a lag', async () => {
  const samples = [
    'runwright_http_requests_total{method="GET",route="/v1/runs/:id",status="404"}',
    'runwright_http_requests_total{method="GET",route="other",status="404"}',
    'runwright_http_request_duration_seconds_count{route="/v1/runs/:id"}',
  ]
  const grown = await growth(samples, async () => {
    await bench.acme.get('/v1/runs/run_00000000000000000000000000')
    await bench.acme.get('/v1/invented')
  })
  expect(grown).toEqual([1, 1, 1])
  const waits = await bench.create(scripted([thenStep('await_input')]))
  await bench.waits(waits)
  const before = await read('runwright_event_delivery_seconds_count')
  const stream = await bench.acme.stream(`/v1/runs/${waits}/events/stream`)
  await stream.until(({ events }) => events.length > 2)
  // Events that are older than the stream say nothing about its lag.
  expect(await read('runwright_event_delivery_seconds_count')).toBe(before)
  expect(await read('runwright_event_streams')).toBe(1)
  const delivered = await growth(['runwright_event_delivery_seconds_count'], async () => {
    await bench.command(waits, 'cancel')
    await stream.until(({ events }) => events.at(-1)?.type === 'run.cancelled')
  })
  expect(delivered).toEqual([1])
  stream.close()
})

test('attempts to deliver to a webhook are counted by outcome', async () => {
  const receiver = await new Receiver().start()
  receiver.answer = (...args) => (receiver.received.all.length === 1 ? answerWith(204) : never)(...args)
  const event_types = ['run.created', 'run.worker.succeeded']
  const grown = await growth(['runwright_webhook_attempts_total{outcome="delivered"}'], async () => {
    expect((await bench.acme.post('/v1/webhooks', { url: receiver.url, event_types })).status).toBe(201)
    await bench.play(scripted([{}]))
    // It is sent after the first one was delivered.
    await receiver.received.nth(2, () => true)
  })
  expect(grown).toEqual([1])
  await receiver.stop()
})

test('commits are measured', async () => {
  const samples = [
    'runwright_log_flush_items_count{log="creates"}',
    'runwright_log_flush_items_count{log="changes"}',
    'runwright_log_flush_duration_seconds_count{log="creates"}',
  ]
  const [creates = 0, changes = 0, timed] = await growth(samples, () => bench.play(scripted([{}])))
  expect(creates).toBe(1)
  expect(changes).toBeGreaterThan(0)
  expect(timed).toBe(creates)
  expect(await read('runwright_log_lag_seconds{log="changes"}')).toBeLessThan(1)
})

describe('the port', () => {
  const log = { info: () => undefined, error: () => undefined } as never
  const server = new MetricsServer({ host: '127.0.0.1', port: 0, read: () => metrics.text(), logger: log })
  let url = ''
  beforeAll(async () => {
    url = await server.start()
  })
  afterAll(() => server.stop())

  test('says that the process is alive, for supervisors of workers', async () => {
    const reply = await fetch(url.replace('/metrics', '/health/live'))
    expect([reply.status, await reply.json()]).toEqual([200, { status: 'ok' }])
  })

  test('serves the metrics without a key, and nothing else', async () => {
    const reply = await fetch(url)
    expect(reply.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect(await reply.text()).toContain('# TYPE runwright_queue_depth gauge')
    expect((await fetch(url.replace('/metrics', '/v1/runs'))).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(404)
  })

  test('that another process uses is named in one sentence', async () => {
    const port = Number(new URL(url).port)
    const second = new MetricsServer({ host: '127.0.0.1', port, read: () => metrics.text(), logger: log })
    const problem = await second.start().catch(explain)
    expect(problem).toBe(`Port ${port} on 127.0.0.1 is already in use. Set RUNWRIGHT_METRICS_PORT to another one.`)
    await second.stop()
  })

  test('answers 500 if the metrics cannot be read', async () => {
    const read = () => Promise.reject(new Error('broken'))
    const broken = new MetricsServer({ host: '127.0.0.1', port: 0, read, logger: log })
    expect((await fetch(await broken.start())).status).toBe(500)
    await broken.stop()
  })
})
