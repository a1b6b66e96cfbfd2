// Many runs whose model talks at the same time: whether all of it reaches the clients, how late, and the memory it
// takes.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, withAgentService } from './agent-service.mjs'
import { createRun } from './send.mjs'
import { benchKey, startProcess } from './service.mjs'

/** Tokens of the first seconds are not measured: the code is not compiled yet. */
const warmUpSeconds = 2
/** How much longer than the provider's talking everything may take; what has not been heard by then is lost. */
const graceMs = (seconds) => 60_000 + seconds * 1000

export const measureStreams = (sizes) =>
  withAgentService({ places: sizes.streams, processes: sizes.processes }, async ({ provider, service, pids }) => {
    const bare = await listenBare(provider, sizes)
    const ours = await listenToService({ provider, service, pids }, sizes)
    return { bare, ours }
  })

async function listenBare(provider, sizes) {
  const listener = await startProcess('./bare-agent.mjs')
  try {
    const epoch = await prepare(provider, sizes)
    await ask(listener, { what: 'open', url: provider.url, count: sizes.streams, epoch })
    return await listen({ provider, listener, pids: [listener.pid] }, sizes)
  } finally {
    await listener.stop()
  }
}

async function listenToService({ provider, service, pids }, sizes) {
  const listener = await startProcess('./delta-streams.mjs')
  try {
    const epoch = await prepare(provider, sizes)
    const requests = []
    for (let number = 0; number < sizes.streams; number += 1) {
      const id = await createRun(service.url, { idempotencyKey: `stream-${number}`, body: bodyOf(number) })
      requests.push({ url: service.url, key: benchKey, path: `/v1/runs/${id}/events/stream`, epoch })
    }
    await ask(listener, { what: 'open', requests })
    return await listen({ provider, listener, pids }, sizes)
  } finally {
    await listener.stop()
  }
}

const bodyOf = (number) =>
  JSON.stringify({
    input: { goal: `stream number ${number}` },
    metadata: {},
    streaming: true,
    run_class: 'short',
    routing_hint: 'skip_planning',
  })

async function prepare(provider, { seconds, perSecond }) {
  const epoch = Date.now()
  const tokens = (warmUpSeconds + seconds) * perSecond
  await ask(provider, { what: 'behave', behaviour: { mode: 'stream', tokens, perSecond, epoch } })
  return epoch
}

/** All begin at the same moment; the memory is read at a quarter of the time and just before the end. */
async function listen({ provider, listener, pids }, { streams, seconds }) {
  await ask(provider, { what: 'streamsWait', streams })
  await ask(provider, { what: 'begin' })
  await sleep(warmUpSeconds * 1000)
  await ask(listener, { what: 'forget' })
  const cpuBefore = sum(pids, cpuSeconds)
  const start = performance.now()
  await sleep(seconds * 250)
  const early = sum(pids, residentMegabytes)
  await sleep(seconds * 700)
  const late = sum(pids, residentMegabytes)
  const cpuShare = (sum(pids, cpuSeconds) - cpuBefore) / ((performance.now() - start) / 1000)
  const heard = await ask(listener, { what: 'result', withinMs: graceMs(seconds) }, 900)
  const elapsed = (performance.now() - start) / 1000
  const said = await ask(provider, { what: 'said' })
  const wrong = heard.hashes.filter((hash, number) => said[number]?.length !== 1 || said[number][0] !== hash).length
  return { ...heard, perSecond: heard.tokens / elapsed, wrong, early, late, cpuShare }
}

const sum = (pids, read) => pids.reduce((total, pid) => total + read(pid), 0)

const residentMegabytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** User and system time; the kernel counts it in hundredths of a second. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
