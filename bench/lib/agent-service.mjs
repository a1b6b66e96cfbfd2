// A provider and a service that calls it, for benchmarks of agents.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { benchKey, startProcess } from './service.mjs'

const loader = new URL('./drain-load.mjs', import.meta.url).pathname

/** One question that takes three calls: the worker calls a tool, the worker answers, the judge agrees. */
export const question = JSON.stringify({
  input: { question: 'What is 17 times 23?' },
  metadata: {},
  // The only class that may take every place of a worker.
  run_class: 'short',
  routing_hint: 'skip_planning',
})
export const callsPerRun = 3

/** Starts both, hands them to `measure`, and stops them whatever happens. `processes` share the places. */
export async function withAgentService({ places, processes = 1 }, measure) {
  const provider = await startProcess('./serve-provider.mjs')
  const others = []
  try {
    const env = {
      RUNWRIGHT_MODEL: 'openai-compatible/bench',
      OPENAI_COMPATIBLE_BASE_URL: provider.url,
      RUNWRIGHT_WORKER_CONCURRENCY: String(Math.ceil(places / processes)),
      NODE_OPTIONS: '--expose-gc',
    }
    const start = (options) =>
      startProcess('./serve.mjs', { args: [JSON.stringify({ executes: true, ...options })], env })
    const service = await start({})
    try {
      for (let n = 1; n < processes; n += 1) others.push(await start({ connection: service.connection }))
      return await measure({ provider, service, pids: [service, ...others].map(({ pid }) => pid) })
    } finally {
      for (const other of others) await other.stop()
      await service.stop()
    }
  } finally {
    await provider.stop()
  }
}

/** Creates runs as fast as the service takes them. */
export const createRuns = (service, runs) =>
  promisify(execFile)(process.execPath, [
    loader,
    JSON.stringify({ url: service.url, key: benchKey, runs, inFlight: 50, body: question, isPatient: true }),
  ])

/** What a process answers, or an error when it takes too long. */
export async function ask(process, question, seconds = 60) {
  let timer
  const late = new Promise((_, reject) => {
    const error = new Error(`no answer to ${JSON.stringify(question).slice(0, 100)} within ${seconds} s`)
    timer = setTimeout(() => reject(error), seconds * 1000)
  })
  try {
    return (await Promise.race([process.ask(question), late])).answer
  } finally {
    clearTimeout(timer)
  }
}
