// The metrics of several processes, as their parent reads them.
import type { Worker as Child } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Metrics } from '../../../telemetry/metrics.ts'
import type { FromParent } from './child-messages.ts'
import { readChildren } from './child-metrics.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

type Sent = (error: Error | null) => void

/** A child that answers, or one that does something else with the question. */
function child(metrics: Metrics, hear?: (sent: Sent) => void): Child {
  const process = new EventEmitter()
  const answer = async ({ id }: Extract<FromParent, { kind: 'read_metrics' }>) =>
    process.emit('message', { kind: 'metrics', id, values: await metrics.values() })
  const send = (message: Extract<FromParent, { kind: 'read_metrics' }>, sent: Sent) =>
    hear ? hear(sent) : void answer(message)
  return Object.assign(process, { send }) as unknown as Child
}

const busy = (requests: number, queued: number): Metrics => {
  const metrics = new Metrics()
  metrics.of.requests.inc({ method: 'GET', route: '/v1/runs', status: 200 }, requests)
  metrics.of.requestSeconds.observe({ route: '/v1/runs' }, 0.02)
  metrics.of.queueDepth.set({ class: 'short' }, queued)
  return metrics
}

test('are added, but the queue is one for all of them', async () => {
  const text = await readChildren([child(busy(3, 7)), child(busy(4, 7))])
  expect(text).toContain('runwright_http_requests_total{method="GET",route="/v1/runs",status="200"} 7\n')
  expect(text).toContain('runwright_http_request_duration_seconds_count{route="/v1/runs"} 2\n')
  expect(text).toContain('runwright_queue_depth{class="short"} 7\n')
})

test('come without those of a process that hangs or has just ended', async () => {
  const hangs = child(busy(50, 0), () => undefined)
  const isGone = child(busy(60, 0), (sent) => sent(new Error('channel closed')))
  const text = readChildren([child(busy(3, 7)), hangs, isGone])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await text).toContain('route="/v1/runs",status="200"} 3\n')
})
