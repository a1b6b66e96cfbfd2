// @ts-check
// The worker thread of `run_javascript`: executes one job after another and posts the outcome of each. Plain
// JavaScript, because a thread cannot start from TypeScript sources.
import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from './engine.mjs'
import { createGuest, createJsonChecks, createJsonWriter } from './guest.mjs'

/** @typedef {import('quickjs-emscripten-core').QuickJSContext} Context */
/** @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle */
/** @typedef {import('./javascript-threads.ts').JavaScriptOutcome} Outcome */
/** @typedef {import('./javascript-threads.ts').JavaScriptJob} Job */

/** @type {import('./javascript-threads.ts').JavaScriptLimits} */
const limits = workerData
const pendingJobsAtOnce = 1000

parentPort?.on('message', async (/** @type {Job} */ job) => {
  parentPort?.postMessage(await run(job))
})

/**
 * @param {Job} job
 * @returns {Promise<Outcome>}
 */
async function run(job) {
  try {
    return await execute(job)
  } catch (error) {
    // QuickJS limits its stack, but its parser checks too late, and then the thread's own stack overflows.
    return { ended: error instanceof RangeError ? 'too_deep' : 'crashed' }
  }
}

/**
 * @param {Job} job
 * @returns {Promise<Outcome>}
 */
async function execute(job) {
  const engine = new Engine(limits)
  const context = await engine.open()
  const guestSource = `(${createGuest})((${createJsonWriter})((${createJsonChecks})(), ${limits.resultDepth}))`
  const guest = evaluate(context, guestSource, 'guest').unwrap()
  engine.start()
  parentPort?.postMessage('started')
  const outcome = settle(context, engine, call(context, guest, job))
  if (engine.isTimedOut) return { ended: 'timed_out' }
  if (outcome.type === 'pending') return { ended: 'unsettled' }
  if (outcome.type === 'fulfilled') return readResult(context, outcome.value)
  const thrown = describe(context, guest, outcome.error)
  return engine.isTimedOut ? { ended: 'timed_out' } : { thrown, isOutOfMemory: engine.isOutOfMemory }
}

/**
 * @param {Context} context
 * @param {string} source
 * @param {string} fileName
 */
const evaluate = (context, source, fileName) => context.evalCode(source, fileName, { type: 'global' })

/**
 * The wrapper adds no line before the code, so that line numbers match.
 * @param {Context} context
 * @param {Handle} guest
 * @param {Job} job
 */
function call(context, guest, { code, input }) {
  const body = evaluate(context, `(async function (input) {${code}\n})`, 'code')
  if (body.error) return body
  const given = input === undefined ? context.undefined : context.newString(input)
  return context.callMethod(guest, 'call', [body.value, given])
}

/**
 * @param {Context} context
 * @param {Engine} engine
 * @param {import('quickjs-emscripten-core').VmCallResult<Handle>} called
 * @returns {import('quickjs-emscripten-core').JSPromiseState}
 */
function settle(context, engine, called) {
  if (called.error) return { type: 'rejected', error: called.error }
  while (!engine.isTimedOut && context.runtime.hasPendingJob()) context.runtime.executePendingJobs(pendingJobsAtOnce)
  return context.getPromiseState(called.value)
}

/**
 * Checks the length before it copies the text.
 * @param {Context} context
 * @param {Handle} text
 * @returns {Outcome}
 */
function readResult(context, text) {
  const length = context.getNumber(context.getProp(text, 'length'))
  return length > limits.resultBytes ? { ended: 'too_large' } : { json: context.getString(text) }
}

/**
 * Null when that fails, too: because memory ran out, or because the thrown value throws when it is read.
 * @param {Context} context
 * @param {Handle} guest
 * @param {Handle} thrown
 */
function describe(context, guest, thrown) {
  const described = context.callMethod(guest, 'describe', [thrown])
  return described.error ? null : context.getString(described.value)
}
