// @ts-check
// The thread of `run_javascript`: takes one piece of code after the other and answers with what became of it. Plain
// JavaScript, since a thread cannot be started from TypeScript sources.
import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from './engine.mjs'
import { guest } from './guest.mjs'

/** @typedef {import('quickjs-emscripten-core').QuickJSContext} Context */
/** @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle */
/** @typedef {import('./thread.ts').JavaScriptAnswer} Answer */
/** @typedef {import('./thread.ts').JavaScriptJob} Job */

/** @type {import('./thread.ts').JavaScriptLimits} */
const limits = workerData
const jobsAtOnce = 1000

parentPort?.on('message', async (/** @type {Job} */ job) => {
  parentPort?.postMessage('started')
  parentPort?.postMessage(await answer(job))
})

/**
 * @param {Job} job
 * @returns {Promise<Answer>}
 */
async function answer(job) {
  try {
    return await execute(job)
  } catch (error) {
    // QuickJS watches its stack; where it looks too late, as in its parser, the thread's own stack gives out.
    return { ended: error instanceof RangeError ? 'too_deep' : 'broken' }
  }
}

/**
 * @param {Job} job
 * @returns {Promise<Answer>}
 */
async function execute(job) {
  const engine = new Engine(limits)
  const context = await engine.open()
  const inside = evaluate(context, `(${guest})(${limits.resultDepth})`, 'guest').unwrap()
  const outcome = settle(context, engine, call(context, inside, job))
  if (engine.isLate) return { ended: 'late' }
  if (outcome.type === 'pending') return { ended: 'waiting' }
  if (outcome.type === 'fulfilled') return readResult(context, outcome.value)
  const thrown = describe(context, inside, outcome.error)
  return engine.isLate ? { ended: 'late' } : { thrown, isFull: engine.isFull }
}

/**
 * @param {Context} context
 * @param {string} source
 * @param {string} fileName
 */
const evaluate = (context, source, fileName) => context.evalCode(source, fileName, { type: 'global' })

/**
 * The body begins on the first line, so that its lines are those of the code.
 * @param {Context} context
 * @param {Handle} inside
 * @param {Job} job
 */
function call(context, inside, { code, input }) {
  const body = evaluate(context, `(async function (input) {${code}\n})`, 'code')
  if (body.error) return body
  const given = input === undefined ? context.undefined : context.newString(input)
  return context.callMethod(inside, 'call', [body.value, given])
}

/**
 * @param {Context} context
 * @param {Engine} engine
 * @param {import('quickjs-emscripten-core').VmCallResult<Handle>} called
 * @returns {import('quickjs-emscripten-core').JSPromiseState}
 */
function settle(context, engine, called) {
  if (called.error) return { type: 'rejected', error: called.error }
  while (!engine.isLate && context.runtime.hasPendingJob()) context.runtime.executePendingJobs(jobsAtOnce)
  return context.getPromiseState(called.value)
}

/**
 * Looks at the length before it copies the text.
 * @param {Context} context
 * @param {Handle} text
 * @returns {Answer}
 */
function readResult(context, text) {
  const length = context.getNumber(context.getProp(text, 'length'))
  return length > limits.resultBytes ? { ended: 'too_large' } : { json: context.getString(text) }
}

/**
 * Null when even that fails: for want of memory, or because what was thrown fights back.
 * @param {Context} context
 * @param {Handle} inside
 * @param {Handle} thrown
 */
function describe(context, inside, thrown) {
  const described = context.callMethod(inside, 'describe', [thrown])
  return described.error ? null : context.getString(described.value)
}
