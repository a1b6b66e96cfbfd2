// What the service adds to calls that take the provider 50 ms: time with one run at a time, CPU with 50 at once.
import { ask, callsPerRun, createRuns, question, withAgentService } from './agent-service.mjs'
import { percentile } from './report.mjs'
import { createRun, followRun, hasEnd } from './send.mjs'
import { startProcess } from './service.mjs'

const delayMs = 50
const atOnce = 50
/** Enough for the code to be compiled. */
const warmUpRuns = 200

/** One round: the bare loop, then the service, against the same provider. */
export const measureCalls = ({ runs, loadedRuns }) =>
  withAgentService({ places: atOnce }, async ({ provider, service }) => {
    await ask(provider, { what: 'behave', behaviour: { mode: 'answer', delayMs } })
    const bare = await measureBare(provider, { runs, loadedRuns })
    const alone = await runOneByOne({ provider, service }, runs)
    const cpuMs = await cpuPerCall({ provider, service }, loadedRuns)
    const notInProvider = alone.map((ms) => (ms - callsPerRun * bare.callMs) / callsPerRun)
    return {
      bare: { runMs: callsPerRun * bare.callMs, cpuMs: bare.cpuMs },
      ours: { runMs: percentile(alone, 0.5), cpuMs },
      notInProvider: { p50: percentile(notInProvider, 0.5), p99: percentile(notInProvider, 0.99) },
    }
  })

async function measureBare(provider, { runs, loadedRuns }) {
  const bare = await startProcess('./bare-agent.mjs')
  const loop = (size, inFlight) => ask(bare, { what: 'loop', url: provider.url, runs: size, inFlight }, 600)
  try {
    await loop(warmUpRuns, atOnce)
    const { times } = await loop(runs, 1)
    const { cpuMs } = await loop(loadedRuns, atOnce)
    return { callMs: percentile(times, 0.5), cpuMs: cpuMs / (loadedRuns * callsPerRun) }
  } finally {
    await bare.stop()
  }
}

/** The time of each run in ms, from the create being sent to the end received over SSE. */
async function runOneByOne({ provider, service }, runs) {
  await createRuns(service, warmUpRuns)
  await ask(service, { what: 'drained' })
  const before = await ask(provider, { what: 'calls' })
  const times = []
  for (let number = 0; number < runs; number += 1) times.push(await runOnce(service.url, `alone-${number}`))
  const calls = (await ask(provider, { what: 'calls' })) - before
  if (calls !== runs * callsPerRun) throw new Error(`${runs} runs made ${calls} calls, not ${callsPerRun} each`)
  return times
}

async function runOnce(url, idempotencyKey) {
  const start = performance.now()
  const id = await createRun(url, { idempotencyKey, body: question })
  const text = await followRun(url, id, hasEnd)
  const ms = performance.now() - start
  if (!text.includes('run.worker.succeeded')) throw new Error(`a run did not succeed: ${text}`)
  return ms
}

async function cpuPerCall({ provider, service }, runs) {
  const calls = runs * callsPerRun
  await ask(provider, { what: 'behave', behaviour: { mode: 'answer', delayMs } })
  const before = await ask(service, { what: 'cpu' })
  await createRuns(service, runs)
  await ask(provider, { what: 'called', times: calls }, 600)
  await ask(service, { what: 'drained' })
  const after = await ask(service, { what: 'cpu' })
  return (after.user + after.system - before.user - before.system) / 1000 / calls
}
