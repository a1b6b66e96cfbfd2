// One customer tries to take every place of the workers for itself. Another one has one short run.
import type { Event, PlanStep } from '@runwright/contract'
import { afterEach, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let attacker: Caller
let neighbour: Caller
afterEach(() => service.stop())

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0', ...env }, { worker: true })
  attacker = new Caller(service.url, service.key)
  neighbour = new Caller(service.url, service.otherKey)
}

const plan = (steps: readonly PlanStep[], run_class: 'short' | 'default' = 'default') => ({
  run_class,
  plan: { version: 'v2', steps },
})
const shortRun = plan([{ tool: 'calculator', input: { expression: '6 * 7' } }], 'short')
const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

const attack = (count: number, body: object) => Promise.all(repeat(count, body).map((run) => attacker.newRun(run)))

async function until(caller: Caller, id: string, type: Event['type'], withinMs = 20_000): Promise<Event[]> {
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  try {
    await stream.until(({ events }) => events.some((event) => event.type === type), withinMs)
    return stream.events
  } finally {
    stream.close()
  }
}

/** How long the neighbour's run was queued, once it has succeeded. */
async function waitOfNeighbour(body: object = shortRun): Promise<number> {
  const { id } = await neighbour.newRun(body)
  const events = await until(neighbour, id, 'run.worker.succeeded')
  const at = (type: string) => Date.parse(events.find((event) => event.type === type)?.timestamp ?? '')
  return at('run.worker.started') - at('run.created')
}

const statusesOf = async (runs: readonly { id: string }[]) =>
  new Set(await Promise.all(runs.map(async ({ id }) => (await attacker.run(id)).status)))

test('140 runs that wait hold no place', async () => {
  await start()
  const runs = await attack(140, plan([{ tool: 'wait', input: { seconds: 600 } }]))
  await Promise.all(runs.map(({ id }) => until(attacker, id, 'run.worker.started')))
  expect(await waitOfNeighbour()).toBeLessThan(5_000)
  expect(await waitOfNeighbour({ ...shortRun, run_class: 'default' })).toBeLessThan(5_000)
})

test('runs of many steps give places back: the neighbour does not wait until one of them ends', async () => {
  await start({ RUNWRIGHT_WORKER_CONCURRENCY: '4' })
  const sandbox = { steps: repeat(150, { delay_ms: 100 }) }
  const body = { run_class: 'short', routing_hint: 'skip_planning', input: { sandbox } }
  const runs = await attack(40, body)
  await Promise.any(runs.map(({ id }) => until(attacker, id, 'step.done')))
  for (let n = 0; n < 3; n += 1) await waitOfNeighbour()
  expect(await statusesOf(runs)).toEqual(new Set(['queued', 'running']))
})

test('runs whose steps overlap give places back, too', async () => {
  await start({ RUNWRIGHT_WORKER_CONCURRENCY: '4' })
  const chain = (name: string, seconds: number) =>
    repeat(60, name).map((_, n) => ({
      id: `${name}${n}`,
      depends_on: n === 0 ? [] : [`${name}${n - 1}`],
      tool: 'wait',
      input: { seconds },
    }))
  const runs = await attack(20, plan([...chain('a', 0.09), ...chain('b', 0.07)], 'short'))
  await Promise.any(runs.map(({ id }) => until(attacker, id, 'step.done')))
  const { id } = await neighbour.newRun(shortRun)
  await until(neighbour, id, 'run.worker.succeeded')
  expect(await statusesOf(runs)).toEqual(new Set(['queued', 'running']))
})

test('runs that pause before the next attempt of a step hold no place', async () => {
  await start({ RUNWRIGHT_WORKER_CONCURRENCY: '2' })
  const failing = { tool: 'calculator', input: { expression: '1 / 0' }, max_attempts: 100 }
  const runs = await attack(12, plan([failing], 'short'))
  await Promise.any(runs.map(({ id }) => until(attacker, id, 'step.done')))
  for (let n = 0; n < 3; n += 1) expect(await waitOfNeighbour()).toBeLessThan(5_000)
  expect(await statusesOf(runs)).not.toContain('failed')
})

test('a plan cannot give its steps more time than the operator allows', async () => {
  await start({ RUNWRIGHT_STEP_TIMEOUT_SECONDS: '0.5' })
  const week = { timeout_seconds: 604_800 }
  const refused = plan([{ id: 'a', tool: 'wait', input: { seconds: 86_400 }, ...week }])
  expect((await attacker.create({ input: {}, metadata: {}, ...refused })).json()).toMatchObject({
    reason_code: 'INPUT_PLAN_INVALID',
    message: 'plan.steps[0] ("a"): timeout_seconds is 604800, but this service gives a step at most 0.5 seconds.',
  })
  const runs = [
    ...(await attack(1, plan([{ tool: 'wait', input: { seconds: 86_400 } }]))),
    ...(await attack(1, {
      ...plan([{ instruction: 'Think.', timeout_seconds: 0.5 }]),
      input: { sandbox: { steps: [{ delay_ms: 600_000 }] } },
    })),
  ]
  for (const { id } of runs) {
    const events = await until(attacker, id, 'run.worker.stalled')
    expect(events.at(-1)?.payload.value).toMatchObject({ reason_code: 'step_timeout' })
  }
})
