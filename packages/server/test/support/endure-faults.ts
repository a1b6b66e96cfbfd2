// Careful clients of a service whose database comes and goes, and what must be true when it has come back for good.
import { randomUUID } from 'node:crypto'
import { type Event, terminalEventTypes } from '@runwright/contract'
import { expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { type Caller, emptyRun, type Reply } from './http.ts'
import { brokenInvariants } from './invariants.ts'
import { eventsOf, type Fleet, type Part, type ServiceProcess, until, untilAllOver } from './processes.ts'

const sum = { name: 'calculator', input: { expression: '2+2' } }
const step = { say: 'A step of a few words.', tokens: 10, tools: [sum], delay_ms: 150, chunk_ms: 30 }
// biome-ignore lint/suspicious/noThenProperty: the script's own word.
const question = { ...step, then: 'await_input' }

/** Every fifth asks for an approval after its second step. */
const course = (n: number, stepCount: number) => ({
  ...emptyRun,
  routing_hint: 'skip_planning',
  input: {
    sandbox: { steps: Array.from({ length: stepCount }, (_, index) => (n % 5 === 0 && index === 1 ? question : step)) },
  },
})

/** Between two creates while the faults go on. */
const spacingMs = 250

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
type Api = () => Caller

/** Repeats a request until it is acknowledged, as a careful client does: the same key each time. */
async function persistently(ask: () => Promise<Reply>, ok: readonly number[]): Promise<Reply> {
  const acknowledged = async () => {
    const reply = await ask().catch(() => undefined)
    if (reply && reply.status < 500 && reply.status !== 429) expect(ok, reply.text).toContain(reply.status)
    return reply && ok.includes(reply.status) ? reply : undefined
  }
  return (await until(acknowledged, { within: 60_000, every: 200, what: 'an acknowledgement' })) as Reply
}

async function create(api: Api, body: object): Promise<string> {
  const headers = { 'idempotency-key': randomUUID() }
  const reply = await persistently(async () => api().create(body, headers), [201, 200])
  return reply.json<{ id: string }>().id
}

const endsRun = (type: string | undefined) => terminalEventTypes.some((terminal) => terminal === type)

/** Reads a run's events to its end; what was cut off is taken up again at the cursor. */
class Reader {
  readonly events: Event[] = []
  readonly errors: string[] = []

  async follow(api: Api, id: string): Promise<this> {
    const look = async () => {
      await this.#readOnce(api, id).catch(() => undefined)
      return endsRun(this.events.at(-1)?.type)
    }
    await until(look, { within: 60_000, every: 100, what: () => `the end of ${id} after ${this.events.length} events` })
    return this
  }

  async #readOnce(api: Api, id: string): Promise<void> {
    const cursor = this.events.at(-1)?.seq ?? 0
    const stream = await api().stream(`/v1/runs/${id}/events/stream?cursor=${cursor}`)
    await stream.closed
    if (stream.status !== 200) return
    this.events.push(...stream.events)
    for (const { event, data } of stream.messages) {
      if (event === 'error') this.errors.push(JSON.parse(data ?? '{}').reason_code)
    }
  }
}

/** Approves every wait that shows up until told to stop; what was acknowledged is kept. */
class Approver {
  /** Run → the wait that was answered. */
  readonly acknowledged = new Map<string, number>()
  #stopped = false

  async work(api: Api): Promise<void> {
    while (!this.#stopped) {
      const waiting = await this.#ask(api, '/v1/runs?awaiting_input=true&limit=200')
      const runs = waiting?.json<{ runs: { id: string }[] }>().runs ?? []
      await Promise.all(runs.map(({ id }) => this.#approve(api, id)))
      await pause(200)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  async #approve(api: Api, id: string): Promise<void> {
    const shown = await this.#ask(api, `/v1/runs/${id}?include=awaiting_input`)
    const awaitSeq = shown?.json<{ awaiting_input: { seq: number } | null }>().awaiting_input?.seq
    if (awaitSeq === undefined) return
    const signal = { action: 'approve', await_seq: awaitSeq, idempotency_key: `answer-${awaitSeq}` }
    await persistently(async () => api().post(`/v1/runs/${id}/signal`, signal), [200])
    this.acknowledged.set(id, awaitSeq)
  }

  async #ask(api: Api, path: string): Promise<Reply | undefined> {
    const reply = await (async () => api().get(path))().catch(() => undefined)
    return reply?.status === 200 ? reply : undefined
  }
}

/** Keeps one process running as a supervisor would, and remembers how often it had to. */
class Supervised {
  readonly deaths: string[] = []
  readonly #fleet: Fleet
  readonly #part: Part
  process: ServiceProcess
  #watching: Promise<void> | undefined
  #stopped = false

  constructor(fleet: Fleet, part: Part) {
    this.#fleet = fleet
    this.#part = part
    this.process = fleet.spawn(part)
  }

  async start(): Promise<void> {
    await this.process.ready()
    this.#watching = this.#watch()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.process.kill()
    await this.#watching
  }

  async #watch(): Promise<void> {
    for (;;) {
      await this.process.exited
      if (this.#stopped) return
      this.deaths.push(`${this.#part}: ${this.process.output.slice(-1_500)}`)
      this.process = this.#fleet.spawn(this.#part)
    }
  }
}

interface Trial {
  readonly fleet: Fleet
  readonly database: Database
  readonly runs: number
  readonly stepCount: number
  /** A part of the runs is created only while the faults go on. */
  readonly late: number
  /** What happens to the database meanwhile. */
  readonly faults: () => Promise<void>
}

export interface Outcome {
  readonly ids: readonly string[]
  readonly states: Readonly<Record<string, number>>
  readonly readers: readonly Reader[]
  readonly acknowledged: ReadonlyMap<string, number>
  readonly deaths: readonly string[]
}

/** Runs under faults: waits are answered, some runs are followed, and creates go on. */
export async function endure(trial: Trial): Promise<Outcome> {
  const [front, ...workers] = (['api', 'worker', 'worker'] as const).map((part) => new Supervised(trial.fleet, part))
  const processes = [front as Supervised, ...workers]
  const approver = new Approver()
  const api = () => trial.fleet.caller((front as Supervised).process)
  try {
    await Promise.all(processes.map((process) => process.start()))
    const approving = approver.work(api)
    const { ids, readers, states } = await playRuns(trial, api)
    approver.stop()
    await approving
    const deaths = processes.flatMap((process) => process.deaths)
    return { ids, states, readers, acknowledged: approver.acknowledged, deaths }
  } finally {
    approver.stop()
    await Promise.all(processes.map((process) => process.stop()))
  }
}

async function playRuns({ database, runs, stepCount, late, faults }: Trial, api: Api) {
  const early = await Promise.all(Array.from({ length: runs - late }, (_, n) => create(api, course(n, stepCount))))
  const following = Promise.all(early.slice(0, 20).map((id) => new Reader().follow(api, id)))
  await until(async () => !(await hasQueued(database)), { what: 'all runs under way' })
  const creating = Array.from({ length: late }, async (_, n) => {
    await pause(n * spacingMs)
    return create(api, course(runs - late + n, stepCount))
  })
  const [created] = await Promise.all([Promise.all(creating), faults()])
  const states = await untilAllOver(database, 60_000)
  return { ids: [...early, ...created], states, readers: await following }
}

async function hasQueued(database: Database): Promise<boolean> {
  const text = "select exists (select from runs where state = 'queued') as queued"
  const [row] = await database.query<{ queued: boolean }>({ text })
  return row?.queued ?? true
}

/** How runs ended that did not succeed. */
const badEnds = (database: Database) =>
  database.query({
    text: `
select payload->>'reason_code' as reason, type, count(*) as runs
from events
where terminal and type <> 'run.worker.succeeded'
group by 1, 2`,
  })

/** Steps whose streamed text is not what they said, in runs that were not interrupted. */
const misquoted = (database: Database) =>
  database.query({
    text: `
select run_id, payload->>'task_id' as task, string_agg(payload->>'content_delta', '' order by seq) as streamed,
  max(payload->>'content') as said
from events e
where payload->>'task_id' is not null
  and not exists (
    select
    from events s
    where s.customer_id = e.customer_id and s.run_id = e.run_id and s.type = 'run.worker.stalled'
  )
group by 1, 2
having string_agg(payload->>'content_delta', '' order by seq) <> max(payload->>'content')`,
  })

/** What must hold of a trial, one claim a test. */
export function expectNothingLost(of: () => { readonly database: Database; readonly outcome: Outcome }) {
  test('no process ends', () => {
    expect(of().outcome.deaths).toEqual([])
  })

  test('every run ends as it would have', async () => {
    const { database, outcome } = of()
    expect(await badEnds(database)).toEqual([])
    expect(outcome.states).toEqual({ succeeded: outcome.ids.length })
    expect(await brokenInvariants(database)).toEqual([])
    expect(await misquoted(database)).toEqual([])
  })

  test('every acknowledged create is one run', async () => {
    const { database, outcome } = of()
    const [row] = await database.query({ text: 'select count(*) as runs from runs' })
    expect([new Set(outcome.ids).size, row]).toEqual([outcome.ids.length, { runs: outcome.ids.length }])
  })

  test('every acknowledged signal has its event', async () => {
    const { database, outcome } = of()
    expect(outcome.acknowledged.size).toBeGreaterThanOrEqual(5)
    for (const [id, awaitSeq] of outcome.acknowledged) {
      const answers = (await eventsOf(database, id)).filter(({ type }) => type === 'run.signal_applied')
      expect(answers.map(({ seq }) => seq)).toEqual([awaitSeq + 1])
    }
  })

  test('readers that go on at their cursor see everything', async () => {
    const { database, outcome } = of()
    for (const [n, { events, errors }] of outcome.readers.entries()) {
      const logged = await eventsOf(database, outcome.ids[n] ?? '')
      expect(events.map(({ seq, type }) => [seq, type])).toEqual(logged.map(({ seq, type }) => [seq, type]))
      expect(errors.filter((reason) => reason !== 'DATABASE_UNAVAILABLE')).toEqual([])
    }
  })
}
