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

/** Starts both, hands them to `measure`, and stops them whatever happens. */
export async function withAgentService({ places }, measure) {
  const provider = await startProcess('./serve-provider.mjs')
  try {
    const service = await startProcess('./serve.mjs', {
      args: [JSON.stringify({ executes: true })],
      env: {
        RUNWRIGHT_MODEL: 'openai-compatible/bench',
        OPENAI_COMPATIBLE_BASE_URL: provider.url,
        RUNWRIGHT_WORKER_CONCURRENCY: String(places),
        NODE_OPTIONS: '--expose-gc',
      },
    })
    try {
      return await measure({ provider, service })
    } finally {
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
