// A storm: workers are killed one after another while many runs execute. All runs end, and nothing is done or counted
// twice.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyRun } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { type HostedFleet, type ServiceProcess, startFleet, untilAllOver } from '../support/processes.ts'

const count = 200
const stormMs = 10_000
const tokensPerStep = 20
const steps = Array.from({ length: 5 }, (_, n) => ({
  say: `Step ${n + 1} says a few words. `.repeat(2),
  tokens: tokensPerStep,
  delay_ms: 250,
  chunk_ms: 25,
  tools: [
    { name: 'wait', input: { seconds: 0.2 } },
    { name: 'calculator', input: { expression: `${n}+1` } },
  ],
}))
const planned = { ...emptyRun, input: { sandbox: { steps } } }
const sideBySide = {
  ...planned,
  plan: {
    steps: [
      { id: 'a', instruction: 'a' },
      { id: 'b', instruction: 'b' },
      { id: 'c', instruction: 'c', depends_on: ['a'] },
      { id: 'd', instruction: 'd', depends_on: ['a'] },
      { id: 'e', instruction: 'e', depends_on: ['b', 'c', 'd'] },
    ],
  },
}
/** How many steps of a run can be cut short at once. */
const mostAtOnce = 3

let hosted: HostedFleet
beforeAll(async () => {
  const env = {
    RUNWRIGHT_LEASE_SECONDS: '1.5',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.2',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.1',
    RUNWRIGHT_MAX_RECOVERIES: '20',
  }
  hosted = await startFleet({ env })
})
afterAll(() => hosted.close())

/** Every second the oldest worker dies at once, and a new one begins. */
async function storm(workers: ServiceProcess[]): Promise<number> {
  const end = performance.now() + stormMs
  let kills = 0
  while (performance.now() < end) {
    const next = new Promise((resolve) => setTimeout(resolve, 1_000))
    await workers.shift()?.kill()
    workers.push(hosted.fleet.spawn('worker'))
    kills += 1
    await next
  }
  return kills
}

interface Sums extends Record<string, unknown> {
  readonly tokens: number
  readonly dispatches: number
  readonly recoveries: number
}

test('a storm of killed workers loses, repeats and miscounts nothing', { timeout: 90_000 }, async () => {
  const { fleet, database } = hosted
  const [api, ...workers] = await Promise.all([
    fleet.start('api'),
    ...Array.from({ length: 3 }, () => fleet.start('worker')),
  ])
  const caller = fleet.caller(api)
  const replies = await Promise.all(
    Array.from({ length: count }, (_, n) => caller.create(n % 2 ? planned : sideBySide)),
  )
  expect(replies.filter(({ status }) => status !== 201)).toEqual([])
  expect(await storm(workers)).toBeGreaterThan(5)

  expect(await untilAllOver(database, 40_000)).toEqual({ succeeded: count })
  await expectInvariants(database)
  const [done] = await database.query({
    text: `
select count(*) filter (where event_type = 'task.completed') as steps, count(*) filter (where event_type = 'tool.invoked') as calls
from usage_records`,
  })
  const plannerSteps = count / 2
  expect(done).toEqual({ steps: count * steps.length + plannerSteps, calls: count * steps.length * 2 })
  const runs = await database.query<Sums>({
    text: `
select r.tokens, (select count(*) from usage_records u where u.run_id = r.id and u.event_type = 'tokens.consumed') as dispatches,
  (select count(*) from events e where e.run_id = r.id and e.type = 'run.resumed') as recoveries
from runs r`,
  })
  const [scripted, asked] = [tokensPerStep * steps.length, 2 * steps.length]
  // A call that was cut short is made again after a recovery: only then may there be more than the script says.
  const odd = runs.filter(
    ({ tokens, dispatches, recoveries }) =>
      tokens < scripted ||
      dispatches < asked ||
      dispatches > asked + recoveries * mostAtOnce ||
      tokens > scripted + (dispatches - asked) * tokensPerStep,
  )
  expect(odd).toEqual([])
  expect(runs.filter(({ recoveries }) => recoveries > 0).length).toBeGreaterThan(20)
})
