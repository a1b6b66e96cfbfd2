// The database is away for longer than a lease, and no process dies: runs go on when it is back, nothing is done twice
// and no one is asked.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { type Bench, outline, scripted, startBench } from '../support/engine.ts'
import { startLine } from '../support/line.ts'
import { ownTool } from '../support/own-tool.ts'

let bench: Bench
let line: Awaited<ReturnType<typeof startLine>>
/** Returns while the database is away. */
const early = ownTool({ name: 'early', effect: 'once', held: true })
/** Returns after it is back. */
const late = ownTool({ name: 'late', effect: 'once', held: true })

beforeAll(async () => {
  const fresh = await freshDatabase()
  line = await startLine(fresh.connection)
  const host = { ...fresh, connection: line.connection }
  bench = await startBench({ RUNWRIGHT_LEASE_SECONDS: '9' }, { tools: [early, late], host })
})
afterAll(async () => {
  await bench.stop()
  await line.close()
})

/** As if the outage had lasted longer than any lease, and as if renewals came only after the sweeps. */
const expireLeases = `
create function expire() returns trigger language plpgsql as $$
begin
  new.lease_until = clock_timestamp() - interval '1 second';
  return new;
end $$;
create trigger expire before update on runs for each row when (new.worker_id is not null) execute function expire();
update runs set lease_until = null where worker_id is not null`

/** The second sweep begins when the first has ended. */
async function untilSwept(): Promise<void> {
  const before = line.sent.all.length
  await line.sent.until((all) => all.slice(before).filter((text) => text.includes('find-expired-leases')).length >= 2)
}

test('runs under way finish, their once calls are made once, and no one is asked', async () => {
  const steps = (name: string) => scripted([{ say: 'a', tools: [{ name }] }, { say: 'b' }])
  const [first, second] = [await bench.create(steps('early')), await bench.create(steps('late'))]
  await Promise.all([early.called(first), late.called(second)])

  line.cut()
  early.release()
  const end = performance.now() + 1_000
  await line.refused.until(() => performance.now() > end)
  await bench.service.database.run({ text: expireLeases })
  line.mend()

  const events = await bench.ended(first, 1, 5_000)
  await untilSwept()
  await bench.service.database.run({ text: 'drop trigger expire on runs' })
  late.release()
  for (const [name, course] of [
    ['early', events],
    ['late', await bench.ended(second)],
  ] as const) {
    expect(outline(course)).toEqual([
      'created',
      'started',
      `tool_call_start ${name}`,
      `tool_call_done ${name}`,
      `invoked ${name} succeeded`,
      'step.done succeeded',
      'judge continue step_done',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
  }
  expect([early.calls.length, late.calls.length]).toEqual([1, 1])
})
