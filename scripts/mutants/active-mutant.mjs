// @ts-check
// The switch of the mutants, in the process that tries them.

/** So often does no test ask in earnest. A loop without an end does. */
const mostHits = 2_000_000

/** @type {number | undefined} */
let active
let hits = 0

/** @param {number | undefined} id */
export function activate(id) {
  active = id
  hits = 0
}

Object.assign(globalThis, {
  $mutant(/** @type {number} */ id) {
    if (id !== active) return false
    hits += 1
    if (hits > mostHits) throw new Error(`Mutant ${id} loops`)
    return true
  },
})
