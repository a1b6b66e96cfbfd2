// The leaves of a JSON value, compared with those it had before its secrets were hidden.
//
// A leaf is a string, number, boolean or null; an empty object or array holds none. The two values are compared by
// place, because whoever hides secrets does it in more than one way: values are masked, texts are changed in part, keys
// and elements are dropped. Nothing but the two values is needed to tell what was hidden.

export interface Leaf {
  readonly location: readonly (string | number)[]
  readonly value: string | number | boolean | null
  /** The original has another value here, or none. */
  readonly redacted: boolean
}

export interface ComparedLeaves {
  /** The first leaves of what is shown. */
  readonly first: readonly Leaf[]
  readonly shown: number
  readonly original: number
  /** Leaves that both have. */
  readonly same: number
}

/** Takes JSON of bounded depth: the walks recurse. */
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
  readonly first: Leaf[] = []
  shown = 0
  same = 0
  readonly #maxFirst: number
  readonly #location: (string | number)[] = []

  constructor(maxFirst: number) {
    this.#maxFirst = maxFirst
  }

  /** `original` is undefined where there was nothing. */
  compare(shown: unknown, original: unknown): void {
    if (shown === undefined) return
    if (Array.isArray(shown)) this.#compareArrays(shown, Array.isArray(original) ? original : [])
    else if (isObject(shown)) this.#compareObjects(shown, isObject(original) ? original : {})
    else this.#note(shown as Leaf['value'], shown !== original)
  }

  #note(value: Leaf['value'], redacted: boolean): void {
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

/** Where elements were dropped, places no longer tell which belong together: only those left as they were do. */
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
  for (const member of Array.isArray(value) ? value : Object.values(value)) count += countLeaves(member)
  return count
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
