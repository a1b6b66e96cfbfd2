// Finds which of many texts begin at any place of another text.
//
// All patterns are at least four characters long: a table of those four, hashed, passes over nearly every place at the
// cost of a look into an array. The others are settled by a binary search among the patterns that begin alike. An
// automaton (Aho–Corasick) would be linear without exception, but needs a node for every character of every pattern:
// some 100 MB for a large tagged input in all its forms. Here the exception is bounded by a budget instead, and whoever
// uses it up is told so.

export interface Match {
  readonly start: number
  readonly end: number
  /** Which pattern. */
  readonly pattern: number
}

export const headLength = 4

interface Bucket {
  /** In order. */
  readonly texts: readonly string[]
  readonly patterns: readonly number[]
  /** Where the longest text stands that this one begins with; -1: none. */
  readonly prefixes: readonly number[]
}

/** Of four characters, to be cut to the size of a table. */
const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x9e3b) ^
  (text.charCodeAt(at + 1) * 0x85eb) ^
  (text.charCodeAt(at + 2) * 0xc2b3) ^
  (text.charCodeAt(at + 3) * 0x27d5)

/** Mostly empty, and no larger than it has to be: there is one for every tagged run. */
const tableSizeFor = (heads: number): number => 1 << Math.min(16, Math.max(10, 34 - Math.clz32(heads)))

/** Characters that may be compared: for each of the text, and in any case. Only texts made for it come near. */
const workPerCharacter = 32
const freeWork = 1_000_000

interface Work {
  left: number
}

const workFor = (text: string): Work => ({ left: freeWork + workPerCharacter * text.length })

export class PatternIndex {
  readonly #buckets = new Map<string, Bucket>()
  readonly #mayBegin: Uint8Array
  /** What patterns begin with, shorter than a head. */
  readonly #stubs = new Set<string>()
  readonly #longest: number

  constructor(patterns: readonly string[]) {
    const byHead = new Map<string, number[]>()
    for (const [index, text] of patterns.entries()) {
      const head = text.slice(0, headLength)
      const alike = byHead.get(head)
      if (alike) alike.push(index)
      else byHead.set(head, [index])
    }
    this.#mayBegin = new Uint8Array(tableSizeFor(byHead.size))
    for (const [head, alike] of byHead) {
      this.#buckets.set(head, makeBucket(patterns, alike))
      this.#mayBegin[hashAt(head, 0) & (this.#mayBegin.length - 1)] = 1
      for (let length = 1; length < headLength; length += 1) this.#stubs.add(head.slice(0, length))
    }
    this.#longest = patterns.reduce((longest, text) => Math.max(longest, text.length), 0)
  }

  /** At each place the longest pattern that stands there; undefined when the text asks for too much work. */
  find(text: string): Match[] | undefined {
    const found: Match[] = []
    const work = workFor(text)
    for (let start = 0; start + headLength <= text.length; start += 1) {
      const bucket = this.#bucketAt(text, start)
      if (bucket === undefined) continue
      const at = findLongest(bucket, { text, start, work })
      if (work.left < 0) return undefined
      const pattern = bucket.patterns[at]
      if (pattern !== undefined) found.push({ start, end: start + (bucket.texts[at] as string).length, pattern })
    }
    return found
  }

  /** Where the text ends in the beginning of a pattern; its length when it does not. */
  findUnfinished(text: string): number {
    const work = workFor(text)
    for (let start = Math.max(0, text.length - this.#longest + 1); start < text.length; start += 1) {
      if (text.length - start < headLength) {
        if (this.#stubs.has(text.slice(start))) return start
        continue
      }
      const bucket = this.#bucketAt(text, start)
      // When the work is too much, more than necessary is held back.
      if (bucket !== undefined && (isBegun(bucket, { text, start, work }) || work.left < 0)) return start
    }
    return text.length
  }

  #bucketAt(text: string, at: number): Bucket | undefined {
    return this.#mayBegin[hashAt(text, at) & (this.#mayBegin.length - 1)] === 1
      ? this.#buckets.get(text.slice(at, at + headLength))
      : undefined
  }
}

function makeBucket(all: readonly string[], alike: readonly number[]): Bucket {
  const textOf = (pattern: number) => all[pattern] as string
  const patterns = alike.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  const texts = patterns.map(textOf)
  const prefixes: number[] = []
  for (const [index, text] of texts.entries()) {
    let prefix = index - 1
    while (prefix >= 0 && !text.startsWith(texts[prefix] as string)) prefix = prefixes[prefix] as number
    prefixes.push(prefix)
  }
  return { texts, patterns, prefixes }
}

/** A place in a text, and what may still be spent on it. */
interface Place {
  readonly text: string
  readonly start: number
  readonly work: Work
}

/** How many characters a pattern has in common with what stands at the place. */
function countCommon(pattern: string, { text, start, work }: Place): number {
  const most = Math.min(pattern.length, text.length - start)
  let common = 0
  while (common < most && pattern.charCodeAt(common) === text.charCodeAt(start + common)) common += 1
  work.left -= common
  return common
}

/** How many texts of the bucket do not come after what stands at the place. */
function countUpTo({ texts }: Bucket, place: Place): number {
  let [low, high] = [0, texts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (comesAfter(texts[middle] as string, place)) high = middle
    else low = middle + 1
  }
  return low
}

function comesAfter(pattern: string, place: Place): boolean {
  const common = countCommon(pattern, place)
  const at = place.start + common
  if (common === pattern.length) return false
  return at === place.text.length || pattern.charCodeAt(common) > place.text.charCodeAt(at)
}

/** Whatever the text goes on with is also what the greatest of those that do not come after it begins with. */
function findLongest(bucket: Bucket, place: Place): number {
  const isHere = (text: string) => countCommon(text, place) === text.length
  let at = countUpTo(bucket, place) - 1
  while (at >= 0 && !isHere(bucket.texts[at] as string)) at = bucket.prefixes[at] as number
  return at
}

/** Those that go on after the end of the text come right after it. */
function isBegun(bucket: Bucket, place: Place): boolean {
  const next = bucket.texts[countUpTo(bucket, place)]
  return next !== undefined && countCommon(next, place) === place.text.length - place.start
}
