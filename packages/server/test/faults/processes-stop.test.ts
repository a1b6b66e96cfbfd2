// A process that is asked to stop ends the steps under way, hands its runs over without a trace, and says that it is
// not ready.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Reply } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import {
  eventsOf,
  type HostedFleet,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
  untilAllOver,
  untilOver,
} from '../support/processes.ts'

const sum = { name: 'calculator', input: { expression: '2+2' } }
const course = (delayMs: number) => ({
  routing_hint: 'skip_planning',
  input: {
    sandbox: {
      steps: [
        { say: 'one', tokens: 10, tools: [sum], delay_ms: delayMs },
        { say: 'two', tokens: 10, tools: [sum] },
        { say: 'three', tokens: 10 },
      ],
    },
  },
})

describe.concurrent('a worker that is asked to stop', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
  })
  afterAll(() => hosted.close())

  /** Every status that clients see until a run has ended. */
  async function statusesOf(caller: Caller, id: string): Promise<string[]> {
    const seen = new Set<string>()
    await until(
      async () => {
        seen.add((await caller.run(id)).status)
        return seen.has('succeeded')
      },
      { within: 20_000, what: () => `success after ${[...seen]}` },
    )
    return [...seen]
  }

  test('ends its steps and hands its runs over, without an event or a recovery', { timeout: 120_000 }, async () => {
    const { fleet, database } = hosted
    const caller = fleet.caller(await fleet.start('api'))
    const [first, second] = await Promise.all([fleet.start('worker'), fleet.start('worker')])
    second.signal('SIGSTOP')
    const runs = await Promise.all([2_500, 3_000, 3_500].map((ms) => caller.newRun(course(ms))))
    const isClaimed = async (id: string) => (await rowOf(database, id)).worker_id !== null
    await until(async () => (await Promise.all(runs.map(({ id }) => isClaimed(id)))).every(Boolean), { what: 'claims' })
    second.signal('SIGCONT')
    const statuses = Promise.all(runs.map(({ id }) => statusesOf(caller, id)))
    const exit = await first.stop()

    expect(exit).toEqual({ code: 0, signal: null })
    expect(await statuses).toEqual(runs.map(() => ['running', 'succeeded']))
    for (const { id } of runs) {
      const events = await eventsOf(database, id)
      const told = events.map(({ type }) => type).filter((type) => type !== 'step.progress')
      const step = ['step.done', 'run.coordination.decision']
      const stepWithTool = ['run.tool.invoked', ...step]
      expect(told).toEqual([
        ...['run.created', 'run.worker.started', ...stepWithTool, ...stepWithTool, ...step, 'run.worker.succeeded'],
      ])
      const handOver = events.findIndex(({ type }) => type === 'run.coordination.decision')
      const [left, taken] = events.slice(handOver)
      expect(Number(taken?.at) - Number(left?.at)).toBeLessThan(1_000)
      expect(await rowOf(database, id)).toMatchObject({ recoveries: 0, tokens: 30 })
    }
    await expectInvariants(database)
  })
})

describe.concurrent('a service that is asked to stop while a step is under way', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
  })
  afterAll(() => hosted.close())

  /** What new connections are answered from now on until the process has ended. */
  async function answersUntilExit(service: ServiceProcess, ask: () => Promise<Reply>): Promise<(number | string)[]> {
    const answers: (number | string)[] = []
    while (service.isAlive) {
      const answer = await ask().then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      )
      answers.push(answer)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return answers
  }

  test('answers that it is not ready, and takes no more runs', { timeout: 120_000 }, async () => {
    const { fleet, database } = hosted
    const service = await fleet.start('start')
    const caller = fleet.caller(service)
    const { id } = await caller.newRun(course(1_500))
    await until(async () => (await rowOf(database, id)).worker_id !== null, { what: 'a claim' })
    expect((await caller.get('/health/ready')).status).toBe(200)
    service.signal('SIGTERM')
    const [ready, create] = await Promise.all([
      answersUntilExit(service, () => caller.get('/health/ready')),
      answersUntilExit(service, () => caller.create()),
    ])

    expect(await service.exited).toEqual({ code: 0, signal: null })
    const { state, worker_id, ready_in_ms } = await rowOf(database, id)
    expect({ state, worker_id }).toEqual({ state: 'running', worker_id: null })
    expect(ready_in_ms).not.toBeNull()
    await fleet.start('worker')
    await untilOver(database, id)
    expect(await untilAllOver(database, 30_000)).not.toHaveProperty('failed')
    await expectInvariants(database)
    for (const answers of [ready, create]) {
      expect(answers).toContain(503)
      expect(answers.findLastIndex((answer) => answer === 200 || answer === 201)).toBeLessThan(answers.indexOf(503))
    }
  })
})

describe.concurrent('an API process that is asked to stop', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet()
  })
  afterAll(() => hosted.close())

  test('ends its streams with the reason, and then itself', { timeout: 120_000 }, async () => {
    const { fleet } = hosted
    const api = await fleet.start('api')
    const caller = fleet.caller(api)
    const { id } = await caller.newRun()
    const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
    await stream.until(({ events }) => events.length === 1)
    api.signal('SIGTERM')
    await stream.closed
    expect(stream.messages.at(-1)).toMatchObject({
      event: 'error',
      data: expect.stringContaining('"reason_code":"SHUTTING_DOWN"'),
    })
    expect(await api.exited).toEqual({ code: 0, signal: null })
  })
})
