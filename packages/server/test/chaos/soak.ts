// The soak: mixed work without faults for minutes, in one process that serves and executes. Between rounds of work,
// what the process and the database hold is measured; what grows from round to round is a leak.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Violation } from './checker/judge.ts'
import { judgeTrial } from './judge-trial.ts'
import { courseAt, Player } from './load/courses.ts'
import { type Stage, withStage } from './trial.ts'

const meter = join(import.meta.dirname, '../support/memory-meter.mjs')
const perRound = 40
const atOnce = 8

interface Sample {
  readonly minutes: number
  readonly runs: number
  readonly heapMegabytes: number
  readonly descriptors: number
  readonly connections: number
  readonly deadRows: number
}
const measures = ['heapMegabytes', 'descriptors', 'connections', 'deadRows'] as const
type Measure = (typeof measures)[number]

export interface SoakResult {
  readonly scenario: 'soak'
  readonly seed: number
  readonly seconds: number
  readonly runs: number
  readonly samples: readonly Sample[]
  /** Per minute, after the first third, in which caches fill. */
  readonly slopes: Readonly<Record<Measure, number>>
  readonly violations: readonly Violation[]
}

interface SoakOptions {
  readonly seed: number
  readonly seconds: number
  readonly report: (line: string) => void
}

export const soak = (options: SoakOptions): Promise<SoakResult> =>
  withStage({ ...options, scenario: 'none', parts: ['start'], nodeOptions: `--import ${meter}` }, (stage) =>
    work(options, stage),
  )

async function work({ seed, seconds, report }: SoakOptions, stage: Stage): Promise<SoakResult> {
  const began = performance.now()
  const samples: Sample[] = []
  for (let n = 0; performance.now() - began < seconds * 1_000; n += perRound) {
    await playRound(stage, seed, n)
    const sample = await measure(stage, (performance.now() - began) / 60_000, n + perRound)
    samples.push(sample)
    report(JSON.stringify(sample))
  }
  const steady = samples.slice(Math.floor(samples.length / 3))
  const slopes = Object.fromEntries(measures.map((name) => [name, slopeOf(steady, name)])) as SoakResult['slopes']
  const { violations, runs } = await judgeTrial(stage, { isIdle: true })
  return {
    scenario: 'soak',
    seed,
    seconds: Math.round((performance.now() - began) / 1_000),
    runs,
    samples,
    slopes,
    violations,
  }
}

async function playRound({ office }: Stage, seed: number, first: number): Promise<void> {
  let next = first
  const play = async () => {
    while (next < first + perRound) {
      next += 1
      await new Player(office, courseAt(seed, next - 1)).play()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
}

async function measure({ crew, server }: Stage, minutes: number, runs: number): Promise<Sample> {
  // Connections of the clients close, and messages are sent.
  await sleep(3_000)
  const process = crew.processAt(0)
  const bytes = Number(await process.measure('memory'))
  const [row] = await server.database.query<{ connections: number; dead: number }>({
    text: `
select (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
  (select sum(n_dead_tup) from pg_stat_user_tables)::int as dead`,
  })
  return {
    minutes: Math.round(minutes * 100) / 100,
    runs,
    heapMegabytes: Math.round(bytes / 1e4) / 100,
    descriptors: readdirSync(`/proc/${process.pid}/fd`).length,
    connections: row?.connections ?? 0,
    deadRows: row?.dead ?? 0,
  }
}

/** By least squares. */
export function slopeOf(samples: readonly Sample[], name: Measure): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(samples.map(({ minutes }) => minutes)), mean(samples.map((sample) => sample[name]))]
  const spread = samples.reduce((sum, { minutes }) => sum + (minutes - x) ** 2, 0)
  const common = samples.reduce((sum, sample) => sum + (sample.minutes - x) * (sample[name] - y), 0)
  return spread === 0 ? 0 : Math.round((common / spread) * 100) / 100
}

/** Each is one more per minute; dead rows are cleared away by autovacuum at its own times, and only told. */
const most: Partial<Record<Measure, number>> = { heapMegabytes: 1, descriptors: 1, connections: 1 }

export const leaksOf = (slopes: SoakResult['slopes']): string[] =>
  measures.flatMap((name) =>
    slopes[name] > (most[name] ?? Number.POSITIVE_INFINITY) ? [`${name} grows by ${slopes[name]} a minute`] : [],
  )
