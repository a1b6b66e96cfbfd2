// Parses JSON from clients and rejects what PostgreSQL cannot store or a parser would silently change.
//
// Every request body passes through here, so the common case is one linear scan, the native parser and one walk over
// the result. Together they detect every problem except whether a huge number was written as an integer. In that case,
// or to locate a problem, `findProblemInParts` reads the text again, token by token.
import { finish } from '../finish.ts'
import { parsePieces } from './parse-pieces.ts'
import { findProblemInParts } from './strict-json-problem.ts'

export type StrictJson =
  | { ok: true; value: unknown }
  | { ok: false; problem: string /** It has more keys or values than are allowed. */; isTooLarge?: true }

interface StrictJsonOptions {
  /** How many levels objects and arrays may nest; the outermost is level 1. */
  readonly maxDepth: number
  /** Default: as many as fit into the largest request that is accepted. */
  readonly size?: JsonSize
}

export interface JsonSize {
  readonly maxKeys: number
  /** Keys and values together. */
  readonly maxParts: number
}

/** More than fit into `input` and `metadata` of 256 KB and a plan of 512 KB: a key takes 8 bytes, a value 2. */
const largestSize: JsonSize = { maxKeys: 100_000, maxParts: 400_000 }

/** For requests without values of any form. */
export const smallSize: JsonSize = { maxKeys: 1_000, maxParts: 10_000 }

export const parseStrictJson = (text: string, options: StrictJsonOptions): StrictJson =>
  finish(parseInParts(text, options))

/**
 * As `parseStrictJson`. Yields where the work can be interrupted: a large text takes longer than the event loop may be
 * held. The keys and values are counted first, so that the work is bounded.
 */
export function* parseInParts(
  text: string,
  { maxDepth, size = largestSize }: StrictJsonOptions,
): Generator<void, StrictJson> {
  const count = yield* countInParts(text, maxDepth, size)
  if (count === 'too large') return tooLarge(size)
  yield
  const value = count === 'too deep' ? undefined : yield* parseNatively(text)
  if (count === 'too deep' || value === undefined) return yield* reject(text, maxDepth)
  yield
  const walk: Walk = { keys: 0, isSuspicious: false, checkStrings: mayHaveBadStrings(text) }
  yield* walkInParts(value, walk)
  if (walk.isSuspicious || walk.keys !== count) {
    const problem = yield* findProblemInParts(text, maxDepth)
    if (problem !== undefined) return { ok: false, problem }
  }
  return { ok: true, value }
}

const tooLarge = ({ maxKeys, maxParts }: JsonSize): StrictJson => ({
  ok: false,
  problem: `The body has too many values: at most ${maxKeys} keys, and ${maxParts} keys and values together, are allowed.`,
  isTooLarge: true,
})

function* reject(text: string, maxDepth: number): Generator<void, StrictJson> {
  const problem = (yield* findProblemInParts(text, maxDepth)) ?? 'The body is not valid JSON.'
  return { ok: false, problem }
}

function* parseNatively(text: string): Generator<void, unknown> {
  try {
    return yield* parsePieces(text)
  } catch {
    return undefined
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
// `[` and `{`, `]` and `}` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b
const closing = 0x7d

/** How many characters are looked at before the work can be interrupted. */
const charactersAtOnce = 262_144

/**
 * Counts the colons outside strings: in valid JSON, one per key as written. If the parsed value has fewer keys, a key
 * was repeated. Tells when the text nests too deeply or is too large, which must be known before anything is done with
 * the value.
 */
function* countInParts(
  text: string,
  maxDepth: number,
  { maxKeys, maxParts }: JsonSize,
): Generator<void, number | 'too deep' | 'too large'> {
  let [colons, parts, depth, inString] = [0, 1, 0, false]
  for (let at = 0, next = charactersAtOnce; at < text.length; at += 1) {
    if (at >= next) {
      next += charactersAtOnce
      yield
    }
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === quote) inString = false
      else if (code === backslash) at += 1
    } else if (code === quote) inString = true
    else if (code === comma) parts += 1
    else if (code === colon) {
      colons += 1
      if (colons > maxKeys) return 'too large'
    } else if ((code | bracketBit) === opening) {
      depth += 1
      parts += 1
      if (depth > maxDepth) return 'too deep'
    } else if ((code | bracketBit) === closing) depth -= 1
    if (parts + colons > maxParts) return 'too large'
  }
  return colons
}

interface Walk {
  keys: number
  /** `findProblemInParts` has to decide. */
  isSuspicious: boolean
  /** False when the text cannot contain a rejected character or key, which saves checking every string. */
  readonly checkStrings: boolean
}

// With the `u` flag a surrogate pair is one character, so this matches lone surrogates only.
const loneSurrogate = /[\ud800-\udfff]/u

/** U+0000 needs an escape, a lone surrogate an escape or itself, and `__proto__` an escape or its letters. */
const mayHaveBadStrings = (text: string): boolean =>
  text.includes('\\u') || text.includes('__proto__') || loneSurrogate.test(text)

const isBadString = (text: string): boolean => text.includes('\0') || loneSurrogate.test(text)

/** How many keys and values are looked at before the work can be interrupted. */
const partsAtOnce = 5_000

/** Containers wait in a list: a generator for each of them would take long. */
function* walkInParts(root: unknown, walk: Walk): Generator<void, void> {
  const containers: object[] = []
  checkValue(root, walk, containers)
  let looked = 0
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    const isArray = Array.isArray(container)
    // `Object.entries` would take three times as long on an object of 300,000 keys.
    const keys = isArray ? undefined : Object.keys(container)
    const size = keys ? keys.length : (container as unknown[]).length
    for (let index = 0; index < size; index += 1) {
      const key = keys ? (keys[index] as string) : index
      if (typeof key === 'string') checkKey(key, walk)
      checkValue((container as Record<string | number, unknown>)[key], walk, containers)
      looked += 1
      if (looked % partsAtOnce === 0) yield
    }
  }
}

function checkKey(key: string, walk: Walk): void {
  walk.keys += 1
  if (walk.checkStrings && (key === '__proto__' || isBadString(key))) walk.isSuspicious = true
}

function checkValue(value: unknown, walk: Walk, containers: object[]): void {
  if (typeof value === 'number') {
    // Includes Infinity, from a literal such as 1e999.
    if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) walk.isSuspicious = true
  } else if (typeof value === 'string') {
    if (walk.checkStrings && isBadString(value)) walk.isSuspicious = true
  } else if (typeof value === 'object' && value !== null) containers.push(value)
}
