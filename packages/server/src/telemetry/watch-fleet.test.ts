import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../store/postgres/database.ts'
import { Metrics } from './metrics.ts'
import { watchFleet } from './watch-fleet.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const rows = [
  { run_class: 'short', depth: 3, age: 1.5, parked: 2, running: 4, awaiting_input: 5, backlog: 7, backlog_age: 2.5 },
]

/** Answers, or fails as one that cannot be reached. */
function bench() {
  const state = { isAway: false, reads: 0 }
  const client = { query: async () => ({ rows }) }
  const transaction = async (work: (client: unknown) => Promise<unknown>) => {
    state.reads += 1
    if (state.isAway) throw new Error('the database is away')
    return work(client)
  }
  const metrics = new Metrics()
  watchFleet(metrics, { transaction } as unknown as Database)
  return { state, metrics }
}

test('readers within some seconds share one read of the database', async () => {
  const { state, metrics } = bench()
  await Promise.all([metrics.text(), metrics.text()])
  const text = await metrics.text()
  expect(state.reads).toBe(1)
  expect(text).toContain('runwright_queue_depth{class="short"} 3\n')
  expect(text).toContain('runwright_queue_age_seconds{class="short"} 1.5\n')
  expect(text).toContain('runwright_runs{state="parked"} 2\n')
  expect(text).toContain('runwright_webhook_backlog 7\n')
  expect(text).toContain('runwright_webhook_backlog_age_seconds 2.5\n')
})

test('without the database the others are served, and no old value of the queue', async () => {
  const { state, metrics } = bench()
  expect(await metrics.text()).toContain('runwright_queue_depth{class="short"} 3\n')
  vi.advanceTimersByTime(5_000)
  state.isAway = true
  const away = await metrics.text()
  expect(away).toContain('runwright_database_up 0\n')
  expect(away).not.toMatch(/^runwright_(queue_depth|queue_age_seconds|runs)\{/m)
  expect(away).not.toMatch(/^runwright_webhook_backlog/m)
  expect(away).toContain('runwright_runs_created_total 0\n')
  state.isAway = false
  expect(await metrics.text()).toContain('runwright_database_up 1\n')
})
