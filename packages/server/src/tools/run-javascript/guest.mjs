// @ts-check
// The part of `run_javascript` that lives inside QuickJS, around the code: its source is evaluated there, so it may use
// nothing from outside its function. What it needs it takes before the code can change it; code that gets around that
// deceives only itself, since all that leaves QuickJS is text of bounded length.

/** @param {number} maxDepth */
export function guest(maxDepth) {
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const { isArray } = Array
  const { isFinite: isFiniteNumber } = Number
  const { toString: nameType } = Object.prototype
  const unsayable = ['bigint', 'function', 'symbol']
  const maxTextLength = 2000
  const ignore = () => undefined
  Object.assign(globalThis, { console: { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore } })

  class NotJson {
    /** @param {string} problem */
    constructor(problem) {
      this.problem = problem
    }
  }

  /**
   * Refuses what JSON would lose in silence, by the rules that hold for the output of every tool.
   * @param {unknown} result
   */
  function toJson(result) {
    /** @type {object[]} */
    const holders = []
    /** @type {string[]} */
    const path = []
    return stringify({ result }, function check(/** @type {string} */ key, /** @type {unknown} */ value) {
      while (holders.length > 0 && holders[holders.length - 1] !== this) {
        holders.pop()
        path.pop()
      }
      path.push(placeOf(this, key, holders.length))
      const problem = problemOf(value, holders)
      if (problem !== undefined) throw new NotJson(`${path.join('')} ${problem}`)
      if (typeof value !== 'object' || value === null) path.pop()
      else if (holders.push(value) > maxDepth) throw new NotJson(`result nests too deep: at most ${maxDepth} levels`)
      return value === undefined ? null : value
    })
  }

  /**
   * The outermost holders are the one that `stringify` makes and the one around the result.
   * @param {object} holder
   * @param {string} key
   * @param {number} depth
   */
  function placeOf(holder, key, depth) {
    if (depth < 2) return key
    if (isArray(holder)) return `[${key}]`
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${stringify(key.slice(0, 100))}]`
  }

  /**
   * @param {unknown} value
   * @param {object[]} holders
   */
  function problemOf(value, holders) {
    if (typeof value === 'number') return isFiniteNumber(value) ? undefined : 'is not a finite number'
    if (unsayable.includes(typeof value)) return `is of type ${typeof value}, which is not JSON`
    if (typeof value !== 'object' || value === null) return undefined
    const type = apply(nameType, value, []).slice('[object '.length, -1)
    if (type !== 'Object' && type !== 'Array') return `is of type ${type}, which is not JSON`
    return holders.includes(value) ? 'contains itself' : undefined
  }

  /** @param {unknown} value */
  const cut = (value) => String(value).slice(0, maxTextLength)

  return {
    /**
     * @param {(input: unknown) => unknown} body
     * @param {string} [input]
     */
    call: async (body, input) => toJson(await body(input === undefined ? undefined : parse(input))),

    /**
     * What was thrown, as JSON.
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
