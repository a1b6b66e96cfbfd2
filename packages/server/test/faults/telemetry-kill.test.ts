// Traces and metrics of real processes: a run keeps its trace when its worker is killed, and several processes have the
// metrics of one.
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleOf, verdict } from '../support/agents.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { Occurrences } from '../support/occurrences.ts'
import { type HostedFleet, newFolder, type ServiceProcess, startFleet } from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, say } from '../support/providers/script.ts'

/** What the tool calls. The first call gets no answer. */
const calls = new Occurrences<string | undefined>()
const target: Server = createServer((request, response) => {
  calls.add(request.headers.traceparent as string | undefined)
  if (calls.all.length > 1) response.end('{}')
})

const tool = (url: string) => `
export default {
  name: 'look_up',
  description: 'Looks something up.',
  effect: 'read',
  input: { type: 'object', properties: { word: { type: 'string' } } },
  run: async (_, { traceparent }) => (await fetch('${url}', { headers: { traceparent } })).json(),
}`

let collector: Collector
let provider: MockProvider
let hosted: HostedFleet
let api: ServiceProcess

beforeAll(async () => {
  collector = await startCollector()
  provider = await startMockProvider('openai-chat', (request) => {
    if (roleOf(request) === 'judge') return verdict('stop')
    const isFirst = !request.messages.some(({ from }) => from === 'tool')
    return isFirst ? callTools([{ name: 'look_up', args: {} }]) : say('Done.')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const folder = join(await newFolder(), 'tools')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'look-up.mjs'), tool(`http://127.0.0.1:${(target.address() as AddressInfo).port}/`))
  hosted = await startFleet({
    env: {
      RUNWRIGHT_LEASE_SECONDS: '600',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
      RUNWRIGHT_MODEL: 'openai-compatible/any',
      RUNWRIGHT_TOOLS_DIR: folder,
      RUNWRIGHT_METRICS_PORT: '0',
      OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
      OPENAI_COMPATIBLE_API_KEY: 'sk-test',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
  })
  api = await hosted.fleet.start('api', { RUNWRIGHT_PROCESSES: '2' })
})
afterAll(async () => {
  await hosted.close()
  await provider.close()
  await collector.stop()
  target.closeAllConnections()
  target.close()
})

const metricsOf = async ({ output }: ServiceProcess): Promise<string> => {
  const url = /"url":"(http:[^"]*\/metrics)"/.exec(output)?.[1]
  return (await fetch(String(url))).text()
}

test('a run whose worker is killed during a call stays in the trace of its client, and the next call has a span of its own', async () => {
  const traceId = 'c3ce929d0e0e4736a3ce929d0e0e4736'
  const client = '00f067aa0ba902b7'
  const first = await hosted.fleet.start('worker')
  await hosted.fleet
    .caller(api)
    .create(
      { input: { question: 'Look' }, metadata: {}, routing_hint: 'skip_planning' },
      { traceparent: `00-${traceId}-${client}-01` },
    )
  await calls.until((all) => all.length === 1)
  await collector.trace(traceId, 'chat openai-compatible/any')
  await first.kill()
  await hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })
  const second = await hosted.fleet.start('worker')
  const spans = await collector.trace(traceId, 'invoke_workflow')
  const root = spans.find(({ name }) => name === 'invoke_workflow')
  const called = spans.filter(({ name }) => name === 'execute_tool look_up')
  expect(root?.parentSpanId).toBe(client)
  expect(called).toHaveLength(1)
  expect(calls.all[1]).toBe(`00-${traceId}-${called[0]?.spanId}-01`)
  expect(calls.all[0]).toMatch(new RegExp(`^00-${traceId}-`))
  expect(calls.all[0]).not.toBe(calls.all[1])
  const others = spans.filter((span) => span !== root)
  expect(others.map(({ parentSpanId }) => parentSpanId)).toEqual(others.map(() => root?.spanId))
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  expect(provider.refusals).toEqual([])
  const metrics = await metricsOf(second)
  expect(metrics).toContain('runwright_recoveries_total 1\n')
  expect(metrics).toContain('runwright_tool_calls_total{tool="look_up",outcome="succeeded"} 1\n')
})

test('two processes on one port have one set of metrics', async () => {
  const caller = hosted.fleet.caller(api)
  // Each on a connection of its own, which the parent gives to its children in turn.
  for (let n = 0; n < 6; n += 1) await caller.get('/v1/runs?limit=1', { connection: 'close' })
  const metrics = await metricsOf(api)
  expect(metrics).toContain('runwright_http_requests_total{method="GET",route="/v1/runs",status="200"} 6\n')
  expect(metrics).toMatch(/^runwright_runs_created_total 1$/m)
  expect(metrics).toMatch(/^runwright_database_up 1$/m)
  // Both answer: each has a pool of reads.
  expect(metrics).toContain('runwright_database_connections{pool="reads",state="idle"} 2\n')
})
