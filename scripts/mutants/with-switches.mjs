// @ts-check
// All mutants of a file in one copy of it: `a < b` becomes `($mutant(7) ? a <= b : a < b)`. So a process loads the code
// once, and tries one mutant after another.

/** @typedef {import('./mutate.mjs').Mutant & { id: number }} Numbered */

/** @param {string} source @param {readonly Numbered[]} mutants */
export function withSwitches(source, mutants) {
  // What contains others comes before them.
  const sorted = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end)
  return part({ source, sorted, next: 0 }, 0, source.length)
}

/** @typedef {{ source: string, sorted: readonly Numbered[], next: number }} Rest */

/**
 * The code from `start` to `end`, with the mutants in it.
 * @param {Rest} rest
 * @param {number} start
 * @param {number} end
 */
function part(rest, start, end) {
  let text = ''
  let from = start
  for (let first = rest.sorted[rest.next]; first && first.start < end; first = rest.sorted[rest.next]) {
    const { start: childStart, end: childEnd } = first
    /** @type {Numbered[]} */
    const here = []
    for (let each = rest.sorted[rest.next]; each?.start === childStart && each.end === childEnd; ) {
      here.push(each)
      rest.next += 1
      each = rest.sorted[rest.next]
    }
    text += rest.source.slice(from, childStart) + choice(here, part(rest, childStart, childEnd))
    from = childEnd
  }
  return text + rest.source.slice(from, end)
}

/** @param {readonly Numbered[]} mutants @param {string} original */
const choice = (mutants, original) =>
  mutants.some(({ text }) => text === undefined)
    ? mutants.reduce((text, { id }) => `{ if (!$mutant(${id})) { ${text} } }`, original)
    : `(${mutants.map(({ id, text }) => `$mutant(${id}) ? ${text} : `).join('')}${original})`
