// Agents with a model behind HTTP: what the service adds to each call, many models that talk at the same time, and many
// runs that wait for a provider. The baseline is a bare loop that calls the same provider without a service.
//
// Options are name=value, such as `npm run bench -- agents streams=20 seconds=10 parked=500`.
import { measureCalls } from './lib/agent-calls.mjs'
import { measureParking } from './lib/agent-parking.mjs'
import { measureStreams } from './lib/agent-streams.mjs'
import { report, spread } from './lib/report.mjs'

const defaults = {
  /** Which parts are measured. */
  only: 'calls,streams,parked',
  rounds: 3,
  /** Runs one at a time, and runs of which 50 execute at once. */
  runs: 100,
  loaded: 500,
  streams: 500,
  rate: 50,
  seconds: 60,
  /** How many processes execute the runs of the streams. The first one also serves the clients. */
  processes: 1,
  parked: 10_000,
  /** Places of the worker while runs are parked and woken; 0: one for each run. */
  places: 0,
  retry: 30,
}

const parts = { calls, streams, parked: parking }

export async function run(args) {
  const options = readOptions(args)
  const results = []
  for (const name of options.only.split(',')) {
    results.push(await parts[name](options))
    for (const row of results.at(-1).rows) console.log(row.join(' | '))
  }
  report('agents', {
    title: 'Agents: a provider that takes 50 ms per call, and one that streams',
    columns: ['what', 'bare loop', 'Runwright', 'goal'],
    rows: results.flatMap(({ rows }) => rows),
    notes: results.flatMap(({ notes }) => notes),
  })
}

function readOptions(args) {
  const options = { ...defaults }
  for (const arg of args) {
    const [name, value] = arg.split('=')
    if (!(name in defaults) || value === undefined) {
      throw new Error(`Unknown option ${arg}. Options: ${Object.keys(defaults).join('=, ')}=.`)
    }
    options[name] = name === 'only' ? value : Number(value)
  }
  const unknown = options.only.split(',').find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`Unknown part ${unknown}. Parts: ${Object.keys(parts).join(', ')}.`)
  return options
}

async function calls({ rounds, runs, loaded }) {
  const results = []
  for (let round = 1; round <= rounds; round += 1) {
    results.push(await measureCalls({ runs, loadedRuns: loaded }))
    const { notInProvider, ours } = results.at(-1)
    console.log(`round ${round}: ${notInProvider.p50.toFixed(1)} ms and ${ours.cpuMs.toFixed(1)} ms of CPU per call`)
  }
  const over = (read, digits = 1) => spread(results.map(read), digits)
  return {
    rows: [
      [
        `one run of 3 calls at a time, p50 ms, over ${runs} runs`,
        over(({ bare }) => bare.runMs),
        over(({ ours }) => ours.runMs),
        '',
      ],
      ['time per call not spent in the provider, p50 ms', '0', over(({ notInProvider }) => notInProvider.p50), '≤ 5'],
      ['the same, p99 ms', '', over(({ notInProvider }) => notInProvider.p99), ''],
      [
        `CPU per call, ms, 50 runs at once, over ${loaded} runs`,
        over(({ bare }) => bare.cpuMs, 2),
        over(({ ours }) => ours.cpuMs, 2),
        '≤ 3',
      ],
    ],
    notes: ['The time of a run is from the create being sent to its end received over SSE.'],
  }
}

async function streams({ streams: count, rate, seconds, processes }) {
  const { bare, ours } = await measureStreams({ streams: count, perSecond: rate, seconds, processes })
  const row = (name, cell, goal = '') => [name, cell(bare), cell(ours), goal]
  const megabytes = ({ early, late }) => `${early.toFixed(0)} → ${late.toFixed(0)}`
  const failed = ours.ends.filter((end) => end !== 'run.worker.succeeded').length
  return {
    rows: [
      row(`${count} streams of ${rate} tokens/s for ${seconds} s: tokens/s received`, (side) =>
        side.perSecond.toFixed(0),
      ),
      row('from the provider to the client, p50 ms', ({ p50 }) => String(p50)),
      row('the same, p99 ms', ({ p99 }) => String(p99), '≤ 250'),
      row('streams whose text is not what the provider said', ({ wrong }) => String(wrong), '0'),
      row('resident memory, MB, at a quarter of the time and at the end', megabytes, 'flat'),
      row('CPU, cores', ({ cpuShare }) => cpuShare.toFixed(2)),
    ],
    notes: [
      `Each token is the time at which the provider wrote it; those of the first 2 s do not count. ${failed} of the runs did not succeed in time.`,
    ],
  }
}

async function parking({ parked, places, retry }) {
  const result = await measureParking({ parked, places: places || parked, retrySeconds: retry })
  return {
    rows: [
      [`${parked} parked runs: places held`, '', String(result.held), '0'],
      ['resident memory per parked run, kB', '', result.residentKb.toFixed(1), '≤ 5'],
      ['heap in use per parked run, kB', '', result.heapKb.toFixed(1), ''],
      ['the last run to wake up was late by, s', '', result.lateSeconds.toFixed(1), '≤ 2'],
      ['all have ended after, s', '', result.endSeconds.toFixed(1), ''],
    ],
    notes: [
      `${result.refused} calls were refused with Retry-After: ${retry}; the breaker parked the other runs. Parking all took ${result.parkingSeconds.toFixed(1)} s; their times lay within ${result.spreadSeconds.toFixed(1)} s.`,
      `After waking up, ${result.calls} calls were made with ${places || parked} places; ${result.failed} runs did not succeed, ${result.recoveries} recoveries.`,
    ],
  }
}
