// @ts-check
// The worker thread of schemas: compiles one after another, and checks values against them. Plain JavaScript, because a
// thread cannot start from TypeScript sources; the build copies it.
import { parentPort, workerData } from 'node:worker_threads'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

/** @typedef {import('./schema-job.ts').SchemaJob} Job */
/** @typedef {import('./schema-job.ts').SchemaOutcome} Outcome */
/** @typedef {import('ajv').ValidateFunction} Validate */
/** @typedef {{ readonly validate: Validate, readonly weight: number }} Compiled */

/** @type {import('./schema-job.ts').SchemaLimits} */
const { maxPatternSteps } = workerData

const maxShownErrors = 20
/**
 * All errors of a value are looked for only if the lengths of schema and value, multiplied, are not more: each part of
 * the one can refuse each part of the other. In the worst case, that is 30 MB of errors.
 */
const maxErrorWork = 4_000_000
const maxProblemLength = 200
/** The weight of all compiled schemas that are kept: about 20 bytes each. */
const maxKeptWeight = 2_000_000
/** An instruction takes as much memory as so many characters of a schema. */
const weightOfInstruction = 20
/** After so many steps, the automaton of a pattern may have grown to megabytes. Then the schema is not kept. */
const maxKeptSteps = 1_000_000

class TooExpensive extends Error {}

/** Steps of patterns in the current job: the size of the program, for each character. */
let steps = 0
/** The size of the patterns that were compiled in the current job. */
let patternSize = 0

/** @param {string} pattern */
function linearPattern(pattern) {
  const compiled = RE2JS.compile(pattern)
  const size = compiled.programSize()
  patternSize += size
  return {
    test: (/** @type {string} */ text) => {
      steps += size * (text.length + 1)
      if (steps > maxPatternSteps) throw new TooExpensive()
      return compiled.test(text)
    },
    // Ajv tells patterns apart by their text.
    toString: () => pattern,
  }
}

const regExp = /** @type {never} */ (Object.assign(linearPattern, { code: 'linearPattern' }))

/** @type {Record<Job['kind'], import('ajv').Options>} */
const options = {
  // Optimized code would take three times as long to compile, and runs a few times only.
  output: { strict: false, validateFormats: false, logger: false, code: { regExp, optimize: false } },
  // Strict mode reports mistyped keywords. `format` is an annotation for models, which is the default of the standard.
  input: {
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    useDefaults: true,
    validateFormats: false,
    logger: false,
    code: { regExp },
  },
}

// An instance of Ajv compiles the schema of schemas before it checks its first one, which takes about 20 ms. So one
// instance checks all schemas. Each schema is compiled by an instance of its own, which does not keep it.
const checker = new Ajv2020({ strict: false, validateFormats: false, logger: false })
checker.validateSchema({}, true)

/** The last one used is at the end. @type {Map<string, Compiled>} */
const kept = new Map()
let keptWeight = 0

parentPort?.on('message', (/** @type {Job} */ job) => {
  parentPort?.postMessage('started')
  parentPort?.postMessage(execute(job))
})

/**
 * @param {Job} job
 * @returns {Outcome}
 */
function execute(job) {
  steps = 0
  const compiled = compile(job)
  if (typeof compiled === 'string') return { problem: compiled }
  try {
    return job.value === undefined ? { errors: [] } : check(compiled, job, job.value)
  } catch (error) {
    if (error instanceof TooExpensive) return { ended: 'too_expensive' }
    // The schema of a tool may refer to itself, so that a deep value fills the stack.
    if (error instanceof RangeError) return { ended: 'too_large' }
    throw error
  } finally {
    if (steps > maxKeptSteps) forget(keyOf(job))
  }
}

/** @param {Job} job */
const keyOf = ({ kind, schema }) => `${kind}:${schema}`

/**
 * The compiled schema, or what is wrong with it.
 * @param {Job} job
 */
function compile(job) {
  const key = keyOf(job)
  const known = forget(key)
  const compiled = known ?? compileNew(job)
  if (typeof compiled !== 'string') keep(key, compiled)
  return compiled
}

/**
 * @param {Job} job
 * @returns {Compiled | string}
 */
function compileNew({ kind, schema: text }) {
  patternSize = 0
  try {
    const schema = JSON.parse(text)
    const validate = compileBy(schema, options[kind])
    return { validate, weight: text.length + patternSize * weightOfInstruction }
  } catch (error) {
    if (error instanceof RangeError) return 'it nests too deeply'
    return error instanceof Error ? error.message.slice(0, maxProblemLength) : 'it is invalid'
  }
}

/**
 * @param {import('ajv').SchemaObject} schema
 * @param {import('ajv').Options} options
 */
function compileBy(schema, options) {
  if (String(schema.$schema ?? '').includes('draft-07')) return new Ajv(options).compile(schema)
  checker.validateSchema(schema, true)
  return new Ajv2020({ ...options, validateSchema: false }).compile(schema)
}

/**
 * @param {string} key
 * @param {Compiled} compiled
 */
function keep(key, compiled) {
  kept.set(key, compiled)
  keptWeight += compiled.weight
  for (const [oldest] of kept) {
    if (keptWeight <= maxKeptWeight) return
    forget(oldest)
  }
}

/** @param {string} key */
function forget(key) {
  const known = kept.get(key)
  if (known === undefined) return undefined
  kept.delete(key)
  keptWeight -= known.weight
  return known
}

/**
 * Ajv fills in defaults in place.
 * @param {Compiled} compiled
 * @param {Job} job
 * @param {string} text
 * @returns {Outcome}
 */
function check({ validate }, job, text) {
  const value = JSON.parse(text)
  if (!validate(value)) return { errors: distinct(findAll(job, text) ?? validate.errors ?? []) }
  const changed = JSON.stringify(value)
  return { errors: [], ...(changed !== text && { value: changed }) }
}

/**
 * All errors, so that a model can correct them at once. Undefined if that may take too much: then the first ones do. A
 * schema with references can check the same value again and again.
 * @param {Job} job
 * @param {string} text
 */
function findAll({ kind, schema }, text) {
  if (schema.length * text.length > maxErrorWork || /"\$(?:ref|dynamicRef)"/.test(schema)) return undefined
  steps = 0
  try {
    const validate = compileBy(JSON.parse(schema), { ...options[kind], allErrors: true })
    validate(JSON.parse(text))
    return validate.errors ?? undefined
  } catch (error) {
    if (error instanceof TooExpensive || error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * The branches of a choice often say the same.
 * @param {readonly import('ajv').ErrorObject[]} errors
 */
function distinct(errors) {
  const found = new Map()
  for (const error of errors) {
    const key = `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`
    if (!found.has(key)) found.set(key, shown(error))
    if (found.size === maxShownErrors) break
  }
  return [...found.values()]
}

/** @param {import('ajv').ErrorObject} error */
const shown = ({ instancePath, keyword, params, message = 'is invalid' }) => ({
  instancePath,
  keyword,
  params,
  message,
})
