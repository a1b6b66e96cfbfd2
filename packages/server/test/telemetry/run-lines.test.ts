// The log of one run: what an operator finds who searches for its id.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCancelled } from '../../src/runs/transition-events.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { RunLog } from '../../src/store/run-log/run-log.ts'
import { type Bench, planned, scripted, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

type Fields = Readonly<Record<string, unknown>>

const held = ownTool({ name: 'held', effect: 'read', held: true })
let bench: Bench
beforeAll(async () => {
  bench = await startBench(
    { RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05', RUNWRIGHT_HEARTBEAT_SECONDS: '0.2' },
    { tools: [held] },
  )
})
afterAll(() => bench.stop())

const linesOf = (id: string): Fields[] =>
  bench.service.log.all.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as Fields)

/** With the last of them, which is written right after the event that ended the run was announced. */
const untilLogged = async (id: string, message: string): Promise<Fields[]> => {
  await bench.service.log.nth(1, (line) => line.includes(id) && line.includes(`"${message}"`))
  return linesOf(id)
}

/** The lines of the page, each as its fields. */
function documentedLines(): Fields[] {
  const page = readFileSync(new URL('../../../../docs/logs.md', import.meta.url), 'utf8')
  const [, block = ''] = /### The story of a run[\s\S]*?```text sample\n([\s\S]*?)```/.exec(page) ?? []
  return block
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replaceAll(':…', ':0')) as Fields)
}

/** What is the same each time. */
const shape = ({ time, pid, hostname, request_id, age_ms, ...fields }: Fields) => ({
  ...fields,
  run_id: 'run_…',
  ...('worker' in fields && { worker: '…' }),
  ...('duration_ms' in fields && { duration_ms: 0 }),
})

test('claim, stall, recovery, wait, signal, failure and end have one line each, as documented', async () => {
  const plan = [
    { id: 'a', tool: 'held', timeout_seconds: 1 },
    { id: 'g', await_input: { prompt: 'secret-prompt' } },
    { id: 'b', instruction: 'secret-instruction', depends_on: ['g'] },
  ]
  const fail = { reason_code: 'provider_error', message: 'secret-message', retryable: false, times: 1 }
  const id = await bench.create(planned(plan, [{ say: 'secret-answer', fail }]))
  await bench.seen(id, 'run.worker.stalled')
  held.release()
  await bench.waits(id)
  await bench.signal(id, 'approve', { payload: { note: 'secret-payload' } })
  await bench.ended(id)
  await bench.command(id, 'retry')
  await bench.ended(id, 2)
  const lines = await untilLogged(id, 'run succeeded')

  expect(lines.map(shape)).toEqual(documentedLines())
  for (const line of lines) expect(line).toMatchObject({ age_ms: expect.any(Number), request_id: expect.any(String) })
  const workers = new Set(lines.flatMap(({ worker }) => (worker === undefined ? [] : [worker])))
  expect(workers.size).toBe(1)
  const ages = lines.map(({ age_ms }) => Number(age_ms))
  expect(lines.find(({ msg }) => msg === 'run stalled')?.duration_ms).toBeGreaterThanOrEqual(990)
  expect(ages.at(-1)).toBeGreaterThanOrEqual(990)
  expect(JSON.stringify(lines)).not.toContain('secret-')
})

test('a cancel, a rejection and the reason code of a client are told, and nothing of the client', async () => {
  const cancelled = await bench.create(scripted([{ delay_ms: 60_000 }]))
  await bench.seen(cancelled, 'run.worker.started')
  await bench.command(cancelled, 'cancel')
  const told = await untilLogged(cancelled, 'run cancelled')
  expect(told.at(-1)).toMatchObject({ msg: 'run cancelled', reason: 'requested', duration_ms: expect.any(Number) })

  const waiting = await bench.create(planned([{ await_input: { reason_code: 'secret_reason' } }]))
  await bench.waits(waiting)
  expect((await untilLogged(waiting, 'run awaits input')).at(-1)).toMatchObject({ reason: 'other' })
  await bench.signal(waiting, 'reject')
  const rejected = await untilLogged(waiting, 'run failed')
  expect(rejected.slice(-2).map(({ msg, reason }) => `${msg}: ${reason}`)).toEqual([
    'signal applied: reject',
    'run failed: signal_rejected',
  ])
})

test('a run that is parked, or lost to another process, is released once', async () => {
  const lost = await bench.create(scripted([{ delay_ms: 60_000 }]))
  await bench.seen(lost, 'run.worker.started')
  const elsewhere = new RunLog(bench.service.database, () => undefined)
  const run = { runId: fromWireId('run', lost) ?? '', customerId: 'acme', epoch: null }
  await elsewhere.apply({ ...run, trigger: 'cancel', events: [runCancelled('cancel', 'req_elsewhere')] })
  const parked = await bench.create(planned([{ tool: 'wait', input: { seconds: 60 } }]))
  for (const [id, reason] of [
    [parked, 'parked'],
    [lost, 'lost'],
  ] as const) {
    const lines = await untilLogged(id, 'run released')
    expect(lines.map(({ msg }) => msg)).toEqual(['run claimed', 'run released'])
    expect(lines.at(-1)).toMatchObject({ reason, duration_ms: expect.any(Number), worker: expect.any(String) })
  }
})

test('what only progresses writes no line', async () => {
  const { id } = await bench.play(scripted(Array.from({ length: 20 }, () => ({ say: 'word '.repeat(50) }))))
  const lines = await untilLogged(id, 'run succeeded')
  expect(lines.map(({ msg }) => msg)).toEqual(['run claimed', 'run succeeded'])
})
