import { expect, test } from 'vitest'
import { createLogger } from '../runtime/logger.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import { RunLines } from './run-lines.ts'

const id = '019a9553-8a3a-7000-8000-000000000001'
const run = {
  id,
  customerId: 'acme',
  requestId: 'req_1',
  workerId: 'w',
  epoch: 3,
  was: 'queued',
  durationSeconds: 10,
  remainingMs: 9_000,
} as ClaimedRun
const released = { customerId: 'acme', runId: id, state: 'running', claimable: true, events: [] } as const

function linesAt(level: string) {
  const written: Record<string, unknown>[] = []
  const stream = { write: (text: string) => void written.push(JSON.parse(text)) }
  return { written, lines: new RunLines({ logger: createLogger({ level, stream }), isTraced: true }) }
}

test('a run that is handed over is released once, and the end of its execution says nothing more', () => {
  const { written, lines } = linesAt('info')
  lines.observer.claimed?.([run])
  lines.note([{ ...released, readyInMs: 0 }])
  lines.observer.executionEnded?.(run)
  expect(written).toMatchObject([
    { msg: 'run claimed', reason: 'queued', age_ms: 1_000, trace_id: id.replaceAll('-', '') },
    { msg: 'run released', reason: 'handed_over' },
  ])
})

test('an execution that was replaced says nothing about the one after it', () => {
  const { written, lines } = linesAt('info')
  lines.observer.claimed?.([run])
  lines.observer.claimed?.([{ ...run, epoch: 5, was: 'stalled' }])
  lines.observer.executionEnded?.(run)
  expect(written.map(({ msg }) => msg)).toEqual(['run claimed', 'run recovered'])
})

test('a silent log costs nothing', () => {
  const { written, lines } = linesAt('silent')
  lines.observer.claimed?.([run])
  lines.note([{ ...released, state: 'failed', readyInMs: undefined, events: [] }])
  expect(written).toEqual([])
})
