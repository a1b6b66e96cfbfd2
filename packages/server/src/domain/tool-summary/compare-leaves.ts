// Compares the leaves of a redacted JSON value with those of the original.
//
// A leaf is a string, number, boolean or null; an empty object or array has none. Leaves are compared by location,
// because redaction works in several ways: it masks values, changes parts of texts, and drops keys and elements. The
// two values alone show what was redacted.

export interface ComparedLeaf {
  readonly location: readonly (string | number)[]
  readonly value: string | number | boolean | null
  /** The original has a different value here, or none. */
  readonly redacted: boolean
}

interface ComparedLeaves {
  /** The first leaves of the shown value. */
  readonly first: readonly ComparedLeaf[]
  /** Number of leaves of the shown value. */
  readonly shown: number
  /** Number of leaves of the original. */
  readonly original: number
  /** Number of leaves that are the same in both. */
  readonly same: number
}

/** Both values must be JSON of bounded depth, because the function recurses. */
export function compareLeaves(shown: unknown, original: unknown, maxFirst: number): ComparedLeaves {
  const walk = new LeafWalk(maxFirst)
  walk.compare(shown, original)
  return {
    first: walk.first,
    shown: walk.shown,
    original: shown === original ? walk.shown : countLeaves(original),
    same: walk.same,
  }
}

type Members = Readonly<Record<string, unknown>>

class LeafWalk {
  readonly first: ComparedLeaf[] = []
  shown = 0
  same = 0
  readonly #maxFirst: number
  readonly #location: (string | number)[] = []

  constructor(maxFirst: number) {
    this.#maxFirst = maxFirst
  }

  /** `original` is undefined where the original has nothing. */
  compare(shown: unknown, original: unknown): void {
    if (shown === undefined) return
    if (shown === original && this.first.length === this.#maxFirst) this.#addSame(countLeaves(shown))
    else if (Array.isArray(shown)) this.#compareArrays(shown, Array.isArray(original) ? original : [])
    else if (isObject(shown)) this.#compareObjects(shown, isObject(original) ? original : {})
    else this.#addLeaf(shown as ComparedLeaf['value'], shown !== original)
  }

  #addSame(leaves: number): void {
    this.shown += leaves
    this.same += leaves
  }

  #addLeaf(value: ComparedLeaf['value'], redacted: boolean): void {
    this.shown += 1
    if (!redacted) this.same += 1
    if (this.first.length < this.#maxFirst) this.first.push({ location: [...this.#location], value, redacted })
  }

  #compareObjects(shown: Members, original: Members): void {
    for (const key of Object.keys(shown)) {
      this.#compareAt(key, shown[key], Object.hasOwn(original, key) ? original[key] : undefined)
    }
  }

  #compareArrays(shown: readonly unknown[], original: readonly unknown[]): void {
    const counterpart =
      shown.length === original.length ? (index: number) => original[index] : findSame(shown, original)
    for (let index = 0; index < shown.length; index += 1) this.#compareAt(index, shown[index], counterpart(index))
  }

  #compareAt(part: string | number, shown: unknown, original: unknown): void {
    this.#location.push(part)
    this.compare(shown, original)
    this.#location.pop()
  }
}

/** After elements were dropped, indexes no longer match: only unchanged elements can be paired. */
function findSame(shown: readonly unknown[], original: readonly unknown[]): (index: number) => unknown {
  const left = new Map<string, number>()
  for (const item of original) {
    const text = JSON.stringify(item)
    left.set(text, (left.get(text) ?? 0) + 1)
  }
  return (index) => {
    const text = JSON.stringify(shown[index])
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count > 0 ? shown[index] : undefined
  }
}

function countLeaves(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return 1
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countLeaves(item)
  else for (const key in value) count += countLeaves((value as Members)[key])
  return count
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
