// Ctrl-C on the service: it says what it waits for, and a second Ctrl-C does not wait.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../support/http.ts'
import { type HostedFleet, rowOf, type ServiceProcess, startFleet, until } from '../support/processes.ts'

let hosted: HostedFleet
beforeAll(async () => {
  hosted = await startFleet()
})
afterAll(() => hosted.close())

/** A step that says something at once, and the rest after this time. */
const lasting = (chunkMs: number) => ({
  routing_hint: 'skip_planning',
  input: { sandbox: { steps: [{ say: 'Nearly done.', chunk_ms: chunkMs }] } },
})

async function execute(caller: Caller, delays: readonly number[]): Promise<string[]> {
  const runs = await Promise.all(delays.map((ms) => caller.newRun(lasting(ms))))
  // A run that is claimed, but has not begun its step, is given back at once.
  const hasBegun = async ({ id }: { id: string }) =>
    (await caller.events(id)).some(({ type }) => type === 'step.progress')
  await until(async () => (await Promise.all(runs.map(hasBegun))).every(Boolean), { what: 'first words' })
  return runs.map(({ id }) => id)
}

const waitingLines = ({ output }: ServiceProcess) => output.split('\n').filter((line) => line.includes('finishing'))

test('says nothing when nothing runs', { timeout: 120_000 }, async () => {
  const process = await hosted.fleet.start('start')
  process.signal('SIGINT')
  expect(await process.exited).toEqual({ code: 0, signal: null })
  expect(waitingLines(process)).toEqual([])
})

test('says how many runs it waits for, and again when the number changes', { timeout: 120_000 }, async () => {
  const process = await hosted.fleet.start('start')
  const ids = await execute(hosted.fleet.caller(process), [3_000, 6_000])
  process.signal('SIGINT')
  expect(await process.exited).toEqual({ code: 0, signal: null })
  const [first, second, ...more] = waitingLines(process)
  expect(first).toMatch(/^2 runs are finishing their steps, up to \d+ s; press Ctrl-C again to stop now\.$/)
  expect(second).toMatch(/^1 run is finishing its step, up to \d+ s; press Ctrl-C again to stop now\.$/)
  const [before = 0, after = 0] = [first, second].map((line) => Number(/up to (\d+) s/.exec(line ?? '')?.[1]))
  expect([25, before, after].toSorted((a, b) => b - a)).toEqual([25, before, after])
  expect(after).toBeGreaterThan(0)
  expect(more).toEqual([])
  for (const id of ids) expect(await rowOf(hosted.database, id)).toMatchObject({ state: 'succeeded' })
})

test('a second one exits at once and leaves the run to other processes', { timeout: 120_000 }, async () => {
  const process = await hosted.fleet.start('start', { npm_lifecycle_event: '' })
  const [id = ''] = await execute(hosted.fleet.caller(process), [20_000])
  process.signal('SIGINT')
  await process.says('1 run is finishing its step')
  process.signal('SIGINT')
  expect(await process.exited).toEqual({ code: 130, signal: null })
  expect(await rowOf(hosted.database, id)).toMatchObject({ state: 'running' })
  expect(waitingLines(process)).toHaveLength(1)
})
