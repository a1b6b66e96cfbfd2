// Finds every occurrence of many patterns in a text.
//
// All patterns have at least four characters. A hash table of those first four rules out nearly every position with one
// array access. At the remaining positions, a binary search runs among the heads with the same first four characters.
// An Aho–Corasick automaton would be linear in every case, but needs a node for every character of every pattern: about
// 100 MB for a large tagged input in all its forms. Here a budget limits the worst case instead, and the caller learns
// when it is exceeded.

export interface Pattern {
  /** The first characters; at least four. */
  readonly head: string
  /** Computes the whole text, once its head was found; undefined when `head` is all of it. */
  readonly whole?: (() => string) | undefined
  /** The whole text has at least this many characters. */
  readonly minLength?: number | undefined
}

export interface Match {
  readonly start: number
  readonly end: number
  /** Index of the pattern. */
  readonly pattern: number
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** How many characters may still be compared. Only crafted texts use much of it. */
export interface SearchWork {
  left: number
}

export const headLength = 4

/** What it costs to replace a match, measured in comparisons. */
const workPerMatch = 500

/** What it costs to compute one character of a pattern, measured in comparisons. */
const workToCompute = 20

/** The patterns that share their first four characters. */
interface Bucket {
  /** Sorted; two patterns may have the same head. */
  readonly heads: readonly string[]
  /** The index of each head's pattern. */
  readonly patterns: readonly number[]
  /** For each head, the position of the longest other one before it that is its prefix, or -1. */
  readonly prefixes: readonly number[]
}

/** Hashes four characters; the caller reduces the hash to the table's size. */
const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x9e3b) ^
  (text.charCodeAt(at + 1) * 0x85eb) ^
  (text.charCodeAt(at + 2) * 0xc2b3) ^
  (text.charCodeAt(at + 3) * 0x27d5)

/** A sparse table with few false hits, yet small: there is one for every tagged run. */
const tableSizeFor = (heads: number): number => 1 << Math.min(16, Math.max(10, 36 - Math.clz32(heads)))

export class PatternIndex {
  readonly #patterns: readonly Pattern[]
  readonly #wholes = new Map<number, string>()
  /** The patterns by their first four characters. They are sorted when a text has these characters. */
  readonly #byHead = new Map<string, number[]>()
  readonly #buckets = new Map<string, Bucket>()
  readonly #mayBegin: Uint8Array
  /** The first one, two and three characters of every pattern. */
  #shortPrefixes: ReadonlySet<string> | undefined
  /** The longest pattern, or infinity when its length is not known. */
  readonly #longest: number

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns
    this.#mayBegin = new Uint8Array(tableSizeFor(patterns.length))
    let longest = 0
    for (const [index, { head, whole }] of patterns.entries()) {
      const start = head.slice(0, headLength)
      const sameHead = this.#byHead.get(start)
      if (sameHead) sameHead.push(index)
      else this.#byHead.set(start, [index])
      this.#mayBegin[hashAt(head, 0) & (this.#mayBegin.length - 1)] = 1
      longest = Math.max(longest, whole ? Number.POSITIVE_INFINITY : head.length)
    }
    this.#longest = longest
  }

  /**
   * The longest match at each position; undefined when the text needs more than `work`. `starts` is where a match may
   * start: by default anywhere.
   */
  find(text: string, work: SearchWork, starts: Range = { start: 0, end: text.length }): Match[] | undefined {
    const found: Match[] = []
    const end = Math.min(starts.end, text.length - headLength + 1)
    for (let start = starts.start; start < end; start += 1) {
      const bucket = this.#bucketAt(text, start)
      if (bucket === undefined) continue
      const match = this.#longestAt(bucket, { text, start, work })
      if (match) {
        found.push(match)
        work.left -= workPerMatch
      }
      if (work.left < 0) return undefined
    }
    return found
  }

  /** The start of an incomplete match at the end of the text; the text's length when there is none. */
  findUnfinished(text: string, work: SearchWork): number {
    this.#shortPrefixes ??= new Set([...this.#byHead.keys()].flatMap((head) => [1, 2, 3].map((n) => head.slice(0, n))))
    for (let start = Math.max(0, text.length - this.#longest + 1); start < text.length; start += 1) {
      if (text.length - start < headLength) {
        if (this.#shortPrefixes.has(text.slice(start))) return start
        continue
      }
      const bucket = this.#bucketAt(text, start)
      // If the budget is exceeded, hold back more than necessary.
      if (bucket !== undefined && (this.#isUnfinishedAt(bucket, { text, start, work }) || work.left < 0)) return start
    }
    return text.length
  }

  #bucketAt(text: string, at: number): Bucket | undefined {
    if (this.#mayBegin[hashAt(text, at) & (this.#mayBegin.length - 1)] === 0) return undefined
    const start = text.slice(at, at + headLength)
    const known = this.#buckets.get(start)
    const sameHead = known ? undefined : this.#byHead.get(start)
    if (sameHead === undefined) return known
    const bucket = createBucket(this.#patterns, sameHead)
    this.#buckets.set(start, bucket)
    return bucket
  }

  #longestAt(bucket: Bucket, position: Position): Match | undefined {
    const { start, work } = position
    let longest: Match | undefined
    for (let at = lastHeadAt(bucket, position); at >= 0 && work.left >= 0; at = bucket.prefixes[at] as number) {
      const length = this.#countAt(bucket.patterns[at] as number, position)
      if (length <= (longest ? longest.end - start : 0)) continue
      longest = { start, end: start + length, pattern: bucket.patterns[at] as number }
    }
    return longest
  }

  /** The length of the pattern if all of it is at the position, else 0. Its head is there. */
  #countAt(index: number, position: Position): number {
    const { head, whole, minLength = 0 } = this.#patterns[index] as Pattern
    if (whole === undefined) return head.length
    if (position.text.length - position.start < minLength) return 0
    const text = this.#compute(index, whole, position.work)
    return countCommon(text, position) === text.length ? text.length : 0
  }

  #isUnfinishedAt(bucket: Bucket, position: Position): boolean {
    if (isPartialMatch(bucket, position)) return true
    const rest = position.text.length - position.start
    for (let at = lastHeadAt(bucket, position); at >= 0; at = bucket.prefixes[at] as number) {
      const index = bucket.patterns[at] as number
      const { whole } = this.#patterns[index] as Pattern
      if (whole === undefined) continue
      const text = this.#compute(index, whole, position.work)
      if (text.length > rest && countCommon(text, position) === rest) return true
    }
    return false
  }

  #compute(index: number, whole: () => string, work: SearchWork): string {
    const known = this.#wholes.get(index)
    if (known !== undefined) return known
    const text = whole()
    work.left -= text.length * workToCompute
    this.#wholes.set(index, text)
    return text
  }
}

function createBucket(all: readonly Pattern[], sameHead: readonly number[]): Bucket {
  const headOf = (pattern: number) => (all[pattern] as Pattern).head
  const patterns = sameHead.toSorted((a, b) => (headOf(a) < headOf(b) ? -1 : headOf(a) > headOf(b) ? 1 : 0))
  const heads = patterns.map(headOf)
  const prefixes: number[] = []
  for (const [index, head] of heads.entries()) {
    let prefix = index - 1
    while (prefix >= 0 && !head.startsWith(heads[prefix] as string)) prefix = prefixes[prefix] as number
    prefixes.push(prefix)
  }
  return { heads, patterns, prefixes }
}

/** A position in a text, and the work that is left. */
interface Position {
  readonly text: string
  readonly start: number
  readonly work: SearchWork
}

/** How many characters of the pattern match at the position. */
function countCommon(pattern: string, { text, start, work }: Position): number {
  const most = Math.min(pattern.length, text.length - start)
  let common = 0
  while (common < most && pattern.charCodeAt(common) === text.charCodeAt(start + common)) common += 1
  work.left -= common + 1
  return common
}

/** How many heads of the bucket do not sort after the text at the position. */
function countUpTo({ heads }: Bucket, position: Position): number {
  let [low, high] = [0, heads.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sortsAfter(heads[middle] as string, position)) high = middle
    else low = middle + 1
  }
  return low
}

function sortsAfter(head: string, position: Position): boolean {
  const common = countCommon(head, position)
  const at = position.start + common
  if (common === head.length) return false
  return at === position.text.length || head.charCodeAt(common) > position.text.charCodeAt(at)
}

/**
 * The longest head that is at the position, or -1. All others are its prefixes: every match is the last head that does
 * not sort after the position, or a prefix of that head.
 */
function lastHeadAt(bucket: Bucket, position: Position): number {
  let at = countUpTo(bucket, position) - 1
  while (at >= 0 && !isAt(bucket.heads[at] as string, position)) at = bucket.prefixes[at] as number
  return at
}

const isAt = (head: string, position: Position): boolean => countCommon(head, position) === head.length

/** A head that continues beyond the end of the text sorts right after it. */
function isPartialMatch(bucket: Bucket, position: Position): boolean {
  const next = bucket.heads[countUpTo(bucket, position)]
  return next !== undefined && countCommon(next, position) === position.text.length - position.start
}
