// Finds every occurrence of many patterns in a text, in upper or lower case.
//
// All patterns have at least four characters. A hash table of those first four rules out nearly every position with one
// array access. At the remaining positions, a binary search runs among the patterns with the same first four
// characters. An Aho–Corasick automaton would be linear in every case, but needs a node for every character of every
// pattern: about 100 MB for a large tagged input in all its forms. Here a budget limits the worst case instead, and the
// caller learns when it is exceeded.
import { foldCase } from './fold-case.ts'

export interface Match {
  readonly start: number
  readonly end: number
  /** Index of the pattern. */
  readonly pattern: number
}

export const headLength = 4

/** The patterns that share their first four characters. */
interface Bucket {
  /** Sorted. */
  readonly texts: readonly string[]
  /** The index of each text among all patterns. */
  readonly patterns: readonly number[]
  /** For each text, the position of the longest other text that is its prefix, or -1. */
  readonly prefixes: readonly number[]
}

/** Hashes four characters; the caller reduces the hash to the table's size. */
const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x9e3b) ^
  (text.charCodeAt(at + 1) * 0x85eb) ^
  (text.charCodeAt(at + 2) * 0xc2b3) ^
  (text.charCodeAt(at + 3) * 0x27d5)

/** A sparse table with few false hits, yet small: there is one for every tagged run. */
const tableSizeFor = (heads: number): number => 1 << Math.min(16, Math.max(10, 34 - Math.clz32(heads)))

/**
 * How many characters may be compared: per character of the text, plus a fixed amount. Only crafted texts get close.
 */
const workPerCharacter = 32
const baseWork = 1_000_000

interface Work {
  left: number
}

const workFor = (text: string): Work => ({ left: baseWork + workPerCharacter * text.length })

export class PatternIndex {
  readonly #buckets = new Map<string, Bucket>()
  readonly #mayBegin: Uint8Array
  /** The first one, two and three characters of every pattern. */
  readonly #shortPrefixes = new Set<string>()
  readonly #longest: number
  /** The patterns, by index, that match only in their own case. */
  readonly #exact = new Map<number, string>()

  /** Case matters only for the patterns that `isExact` names. */
  constructor(given: readonly string[], isExact: (pattern: number) => boolean = () => false) {
    const patterns = given.map(foldCase)
    const byHead = new Map<string, number[]>()
    for (const [index, text] of patterns.entries()) {
      if (isExact(index)) this.#exact.set(index, given[index] as string)
      const head = text.slice(0, headLength)
      const sameHead = byHead.get(head)
      if (sameHead) sameHead.push(index)
      else byHead.set(head, [index])
    }
    this.#mayBegin = new Uint8Array(tableSizeFor(byHead.size))
    for (const [head, sameHead] of byHead) {
      this.#buckets.set(head, createBucket(patterns, sameHead))
      this.#mayBegin[hashAt(head, 0) & (this.#mayBegin.length - 1)] = 1
      for (let length = 1; length < headLength; length += 1) this.#shortPrefixes.add(head.slice(0, length))
    }
    this.#longest = patterns.reduce((longest, text) => Math.max(longest, text.length), 0)
  }

  /** The longest match at each position; undefined when the text needs too much work. */
  find(text: string): Match[] | undefined {
    const found: Match[] = []
    const work = workFor(text)
    const folded = foldCase(text)
    for (let start = 0; start + headLength <= text.length; start += 1) {
      const bucket = this.#bucketAt(folded, start)
      if (bucket === undefined) continue
      const isExact = (pattern: number) => text.startsWith(this.#exact.get(pattern) ?? '', start)
      const at = findLongest(bucket, { text: folded, start, work }, isExact)
      if (work.left < 0) return undefined
      const pattern = bucket.patterns[at]
      if (pattern !== undefined) found.push({ start, end: start + (bucket.texts[at] as string).length, pattern })
    }
    return found
  }

  /** The start of an incomplete match at the end of the text; the text's length when there is none. */
  findUnfinished(given: string): number {
    const text = foldCase(given)
    const work = workFor(text)
    for (let start = Math.max(0, text.length - this.#longest + 1); start < text.length; start += 1) {
      if (text.length - start < headLength) {
        if (this.#shortPrefixes.has(text.slice(start))) return start
        continue
      }
      const bucket = this.#bucketAt(text, start)
      // If the budget is exceeded, hold back more than necessary.
      if (bucket !== undefined && (isPartialMatch(bucket, { text, start, work }) || work.left < 0)) return start
    }
    return text.length
  }

  #bucketAt(text: string, at: number): Bucket | undefined {
    return this.#mayBegin[hashAt(text, at) & (this.#mayBegin.length - 1)] === 1
      ? this.#buckets.get(text.slice(at, at + headLength))
      : undefined
  }
}

function createBucket(all: readonly string[], sameHead: readonly number[]): Bucket {
  const textOf = (pattern: number) => all[pattern] as string
  const patterns = sameHead.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  const texts = patterns.map(textOf)
  const prefixes: number[] = []
  for (const [index, text] of texts.entries()) {
    let prefix = index - 1
    while (prefix >= 0 && !text.startsWith(texts[prefix] as string)) prefix = prefixes[prefix] as number
    prefixes.push(prefix)
  }
  return { texts, patterns, prefixes }
}

/** A position in a text, and the work that is left for the text. */
interface Position {
  readonly text: string
  readonly start: number
  readonly work: Work
}

/** How many characters of the pattern match at the position. */
function countCommon(pattern: string, { text, start, work }: Position): number {
  const most = Math.min(pattern.length, text.length - start)
  let common = 0
  while (common < most && pattern.charCodeAt(common) === text.charCodeAt(start + common)) common += 1
  work.left -= common
  return common
}

/** How many texts of the bucket do not sort after the text at the position. */
function countUpTo({ texts }: Bucket, position: Position): number {
  let [low, high] = [0, texts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sortsAfter(texts[middle] as string, position)) high = middle
    else low = middle + 1
  }
  return low
}

function sortsAfter(pattern: string, position: Position): boolean {
  const common = countCommon(pattern, position)
  const at = position.start + common
  if (common === pattern.length) return false
  return at === position.text.length || pattern.charCodeAt(common) > position.text.charCodeAt(at)
}

/**
 * Every match is the last text that does not sort after the position, or a prefix of that text. `accepts` decides about
 * patterns for which case matters.
 */
function findLongest(bucket: Bucket, position: Position, accepts: (pattern: number) => boolean): number {
  const matches = (at: number) => {
    const text = bucket.texts[at] as string
    return countCommon(text, position) === text.length && accepts(bucket.patterns[at] as number)
  }
  let at = countUpTo(bucket, position) - 1
  while (at >= 0 && !matches(at)) at = bucket.prefixes[at] as number
  return at
}

/** A pattern that continues beyond the end of the text sorts right after it. */
function isPartialMatch(bucket: Bucket, position: Position): boolean {
  const next = bucket.texts[countUpTo(bucket, position)]
  return next !== undefined && countCommon(next, position) === position.text.length - position.start
}
