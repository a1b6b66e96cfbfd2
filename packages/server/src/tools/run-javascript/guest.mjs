// @ts-check
// The parts of `run_javascript` that run inside QuickJS, around the user's code. Their source text is evaluated there,
// so a function must not use anything from outside itself. Each takes the built-ins it needs before the user's code can
// replace them. Code that gets around that deceives only itself, because only text of bounded length leaves QuickJS.

/** @typedef {ReturnType<typeof createJsonChecks>} JsonChecks */
/** @typedef {ReturnType<typeof createJsonWriter>} JsonWriter */

export function createJsonChecks() {
  const { stringify } = JSON
  const { apply } = Reflect
  const { isArray } = Array
  const { isFinite: isFiniteNumber } = Number
  const { toString: describeType } = Object.prototype
  const typesWithoutJson = ['bigint', 'function', 'symbol']

  return {
    /**
     * The two outermost objects are the wrapper that `stringify` creates and `{ result }`.
     * @param {object} parent
     * @param {string} key
     * @param {number} depth
     */
    showKey: (parent, key, depth) => {
      if (depth < 2) return key
      if (isArray(parent)) return `[${key}]`
      return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${stringify(key.slice(0, 100))}]`
    },

    /**
     * @param {unknown} value
     * @param {object[]} ancestors
     */
    findProblem: (value, ancestors) => {
      if (typeof value === 'number') return isFiniteNumber(value) ? undefined : 'is not a finite number'
      if (typesWithoutJson.includes(typeof value)) return `is of type ${typeof value}, which is not JSON`
      if (typeof value !== 'object' || value === null) return undefined
      const type = apply(describeType, value, []).slice('[object '.length, -1)
      if (type !== 'Object' && type !== 'Array') return `is of type ${type}, which is not JSON`
      return ancestors.includes(value) ? 'contains itself' : undefined
    },
  }
}

/**
 * Serializes `{ result }` and rejects what JSON would silently drop or change, as `makeStorable` does for all tools.
 * @param {JsonChecks} checks
 * @param {number} maxDepth
 */
export function createJsonWriter({ showKey, findProblem }, maxDepth) {
  const { stringify } = JSON

  class NotJson {
    /** @param {string} problem */
    constructor(problem) {
      this.problem = problem
    }
  }

  /** @param {unknown} result */
  function toJson(result) {
    /** @type {object[]} */
    const ancestors = []
    /** @type {string[]} */
    const path = []
    return stringify({ result }, function check(/** @type {string} */ key, /** @type {unknown} */ value) {
      while (ancestors.length > 0 && ancestors[ancestors.length - 1] !== this) {
        ancestors.pop()
        path.pop()
      }
      path.push(showKey(this, key, ancestors.length))
      const problem = findProblem(value, ancestors)
      if (problem !== undefined) throw new NotJson(`${path.join('')} ${problem}`)
      if (typeof value !== 'object' || value === null) path.pop()
      else if (ancestors.push(value) > maxDepth) {
        throw new NotJson(`result nests too deeply: at most ${maxDepth} levels are allowed`)
      }
      return value === undefined ? null : value
    })
  }

  return { NotJson, toJson }
}

/** @param {JsonWriter} writer */
export function createGuest({ NotJson, toJson }) {
  const { parse, stringify } = JSON
  const maxTextLength = 2000
  const ignore = () => undefined
  Object.assign(globalThis, { console: { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore } })

  /** @param {unknown} value */
  const cut = (value) => String(value).slice(0, maxTextLength)

  return {
    /**
     * @param {(input: unknown) => unknown} body
     * @param {string} [input]
     */
    call: async (body, input) => toJson(await body(input === undefined ? undefined : parse(input))),

    /**
     * Describes a thrown value as JSON.
     * @param {any} thrown
     */
    describe: (thrown) => {
      if (thrown instanceof NotJson) return stringify({ problem: cut(thrown.problem) })
      if (typeof thrown === 'string') return stringify({ value: stringify(cut(thrown)) })
      if (typeof thrown !== 'object' || thrown === null) return stringify({ value: cut(thrown) })
      if (!('message' in thrown)) return stringify({ value: cut(stringify(thrown)) })
      const { name = 'Error', message, stack = '' } = thrown
      return stringify({ name: cut(name), message: cut(message), stack: cut(stack) })
    },
  }
}
