// A worker that gets little CPU, as in a container with a small quota: it takes fewer runs at a time, and finishes
// them, instead of losing the leases of all.
import { expect, test } from 'vitest'
import { expectInvariants } from '../support/invariants.ts'
import { type ServiceProcess, startFleet, until, untilAllOver } from '../support/processes.ts'

const places = 64
interface Portion {
  readonly runMs: number
  readonly pauseMs: number
}

/** Late by more than a second at each look, however fast the machine is. */
const tooLittle: Portion = { runMs: 60, pauseMs: 1_200 }
const little: Portion = { runMs: 60, pauseMs: 340 }

/** Pauses the process again and again. Returns how to stop that. */
function starve(worker: ServiceProcess, portion: Portion): () => void {
  let timer: NodeJS.Timeout
  const pause = () => {
    worker.signal('SIGSTOP')
    timer = setTimeout(go, portion.pauseMs)
  }
  const go = () => {
    worker.signal('SIGCONT')
    timer = setTimeout(pause, portion.runMs)
  }
  pause()
  return () => {
    clearTimeout(timer)
    worker.signal('SIGCONT')
  }
}

const step = { tools: [{ name: 'calculator', input: { expression: '1 + 1' } }] }
const steps = [step, step, { say: 'word '.repeat(50), chunk_ms: 10 }]
const body = { routing_hint: 'skip_planning', input: { sandbox: { steps } } }

test('a starved worker takes fewer runs, tells how many, and finishes them', { timeout: 420_000 }, async () => {
  const hosted = await startFleet({
    env: {
      RUNWRIGHT_WORKER_CONCURRENCY: String(places),
      RUNWRIGHT_LEASE_SECONDS: '2',
      RUNWRIGHT_HEARTBEAT_SECONDS: '0.5',
      RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
      RUNWRIGHT_MAX_RECOVERIES: '100',
    },
  })
  try {
    const { fleet, database } = hosted
    const caller = fleet.caller(await fleet.start('api'))
    const worker = await fleet.start('worker')
    const endFamine = starve(worker, tooLittle)
    await Promise.all(Array.from({ length: 100 }, () => caller.newRun(body)))
    const allowed = async () =>
      (await caller.get('/health/deps')).json<{ dependencies: { queue: { places: number } } }>().dependencies.queue
        .places
    await until(async () => (await allowed()) < places, { within: 60_000, what: 'fewer places' })
    endFamine()
    const end = starve(worker, little)
    // A sixth of a CPU: on a busy machine that is much less, and takes minutes.
    expect(await untilAllOver(database, 300_000)).toEqual({ succeeded: 100 })
    end()
    await expectInvariants(database)
  } finally {
    await hosted.close()
  }
})
