// Who is executed when there is not room for all: short runs beside long ones, and every customer in turn.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench, untilEnded } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const hold = ownTool({ name: 'hold', held: true })
const tick = ownTool({ name: 'tick' })
const benches: Bench[] = []
const start = async (concurrency: number, env: Record<string, string> = {}) => {
  const bench = await startBench({ RUNWRIGHT_WORKER_CONCURRENCY: String(concurrency), ...env }, { tools: [hold, tick] })
  benches.push(bench)
  return bench
}
afterAll(async () => {
  for (const bench of benches) await bench.stop()
})

const at = (timestamp: string | undefined) => Date.parse(timestamp ?? '')

describe.each([['long'], ['default']])('with four places and forty %s runs that take for ever', (run_class) => {
  let bench: Bench
  beforeAll(async () => {
    bench = await start(4)
    const long = scripted([{ delay_ms: 600_000 }], { run_class })
    const ids = await Promise.all(Array.from({ length: 40 }, () => bench.create(long)))
    await Promise.any(ids.map((id) => bench.seen(id, 'run.worker.started')))
  })

  test('a short run starts at once and comes to its end', async () => {
    const id = await bench.create(scripted([{ say: 'a' }, { say: 'b' }], { run_class: 'short' }))
    const [created, started, ...rest] = await bench.ended(id)
    expect(at(started?.timestamp) - at(created?.timestamp)).toBeLessThan(500)
    expect(rest.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('ten short runs one after another never wait', async () => {
    for (let n = 0; n < 10; n += 1) {
      const [created, started] = (await bench.play(scripted([{ say: 'a' }], { run_class: 'short' }))).events
      expect(at(started?.timestamp) - at(created?.timestamp)).toBeLessThan(500)
    }
  })
})

test.concurrent('a customer with one run is served among the first, though another has 200 in the queue', async () => {
  const bench = await start(4)
  const blockers = await Promise.all(
    Array.from({ length: 4 }, () => bench.create(scripted([{ tools: [{ name: 'hold' }] }], { run_class: 'short' }))),
  )
  await Promise.all(blockers.map((id) => hold.called(id)))
  const quick = scripted([{ say: 'a' }])
  await Promise.all(Array.from({ length: 200 }, () => bench.create(quick)))
  const mine = await bench.create(quick, bench.other)
  hold.release()
  await untilEnded(bench.other, mine)
  const rank = await rankOf(bench, mine)
  expect(rank).toBeLessThanOrEqual(8)
})

/** How many runs of the queue were started before this one. */
async function rankOf(bench: Bench, id: string): Promise<number | undefined> {
  const reply = await bench.other.get(`/v1/runs/${id}/events`)
  const started = reply.json<{ events: { type: string; timestamp: string }[] }>().events[1]
  const [row] = await bench.service.database.query<{ count: number }>({
    text: `
      select count(*)::integer as count
      from events e join runs r on r.id = e.run_id
      where e.type = 'run.worker.started' and r.run_class = 'default' and e.at < $1::timestamptz`,
    values: [started?.timestamp],
  })
  return row?.count
}

describe.concurrent('a customer with all places and a long queue', () => {
  test('gives one back for a run of another, and its own run goes on later as if nothing had happened', async () => {
    const bench = await start(2)
    const steps = Array.from({ length: 30 }, () => ({ delay_ms: 100 }))
    const long = scripted(steps, { run_class: 'short' })
    const ids = await Promise.all(Array.from({ length: 6 }, () => bench.create(long)))
    await Promise.any(ids.map((id) => bench.seen(id, 'step.done')))
    const mine = await bench.create(scripted([{ say: 'a' }], { run_class: 'short' }), bench.other)
    expect((await untilEnded(bench.other, mine)).at(-1)?.type).toBe('run.worker.succeeded')
    const ended = await Promise.all(ids.map(async (id) => (await bench.acme.run(id)).status))
    expect(new Set(ended)).toEqual(new Set(['queued', 'running']))
    for (const id of ids) {
      const events = await bench.ended(id, 1, 60_000)
      expect(outline(events).filter((word) => /started|resumed|stalled/.test(word))).toEqual(['started'])
      expect(ofType(events, 'step.done')).toHaveLength(30)
    }
  }, 90_000)

  test('shares them equally with another that has a long queue', async () => {
    const bench = await start(8)
    const long = scripted(
      Array.from({ length: 100 }, () => ({ delay_ms: 50, tools: [{ name: 'tick' }] })),
      { run_class: 'short' },
    )
    const ours = await Promise.all(Array.from({ length: 20 }, () => bench.create(long)))
    const theirs = await Promise.all(Array.from({ length: 20 }, () => bench.create(long, bench.other)))
    await Promise.any(theirs.map((id) => tick.called(id, 5)))
    const first = tick.calls.length
    await tick.nth(first + 200)
    expect((await Promise.all(ours.map((id) => bench.acme.run(id)))).map(({ status }) => status)).not.toContain(
      'succeeded',
    )
    const customers = tick.calls.slice(first, first + 200).map(({ context }) => context.customerId)
    const share = customers.filter((customer) => customer === 'other').length / customers.length
    expect(share).toBeGreaterThan(0.35)
    expect(share).toBeLessThan(0.65)
  })
})

test.concurrent('a place that becomes free is taken by the next in the queue without waiting for a poll', async () => {
  const bench = await start(1)
  const ids = await Promise.all(Array.from({ length: 5 }, () => bench.create(scripted([{ delay_ms: 50 }]))))
  const all = await Promise.all(ids.map((id) => bench.ended(id)))
  const spans = all.map((events) => ({ start: at(events[1]?.timestamp), end: at(events.at(-1)?.timestamp) }))
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  const gaps = inOrder.slice(1).map(({ start }, n) => start - (inOrder[n]?.end ?? 0))
  expect(Math.max(...gaps)).toBeLessThan(300)
})

test.concurrent('a stalled run that is not due yet keeps nobody else waiting', async () => {
  const bench = await start(1, { RUNWRIGHT_RECOVERY_DELAY_SECONDS: '60' })
  const stalled = await bench.create(planned([{ tool: 'wait', input: { seconds: 60 }, timeout_seconds: 0.05 }]))
  await bench.seen(stalled, 'run.worker.stalled')
  const id = await bench.create(scripted([{ say: 'a' }]), bench.other)
  expect((await untilEnded(bench.other, id)).at(-1)?.type).toBe('run.worker.succeeded')
})

test.concurrent('no more runs are executed at once than there are places', async () => {
  const bench = await start(3)
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => bench.create(scripted([{ delay_ms: 60 }], { run_class: 'short' }))),
  )
  const all = await Promise.all(ids.map((id) => bench.ended(id, 1, 20_000)))
  const started = all.map((events) => at(events[1]?.timestamp))
  const overlapping = started.map(
    (time) => all.filter((events) => at(events[1]?.timestamp) <= time && at(events.at(-1)?.timestamp) > time).length,
  )
  expect(Math.max(...overlapping)).toBeLessThanOrEqual(3)
  expect(all.every((events) => ofType(events, 'run.worker.succeeded').length === 1)).toBe(true)
})
