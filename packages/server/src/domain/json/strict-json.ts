// Parses JSON from clients and rejects what PostgreSQL cannot store or a parser would silently change.
//
// Every request body passes through here, so the common case is one linear scan, the native parser and one walk over
// the result. Together they detect every problem except whether a huge number was written as an integer. In that case,
// or to locate a problem, `findJsonProblem` reads the text again, token by token.
import { finish } from '../finish.ts'
import { findJsonProblem } from './strict-json-problem.ts'

export type StrictJson = { ok: true; value: unknown } | { ok: false; problem: string }

interface StrictJsonOptions {
  /** How many levels objects and arrays may nest; the outermost is level 1. */
  readonly maxDepth: number
}

export const parseStrictJson = (text: string, options: StrictJsonOptions): StrictJson =>
  finish(parseInParts(text, options))

/** As `parseStrictJson`. Yields where the work can be interrupted: 4 MB take longer than the event loop may be held. */
export function* parseInParts(text: string, { maxDepth }: StrictJsonOptions): Generator<void, StrictJson> {
  const keysWritten = countKeysWritten(text, maxDepth)
  yield
  const value = keysWritten === undefined ? undefined : parseNatively(text)
  if (keysWritten === undefined || value === undefined) return reject(text, maxDepth)
  yield
  const walk: Walk = { keys: 0, isSuspicious: false, checkStrings: mayHaveBadStrings(text) }
  walkValue(value, walk)
  if (walk.isSuspicious || walk.keys !== keysWritten) {
    const problem = findJsonProblem(text, maxDepth)
    if (problem !== undefined) return { ok: false, problem }
  }
  return { ok: true, value }
}

const reject = (text: string, maxDepth: number): StrictJson => ({
  ok: false,
  problem: findJsonProblem(text, maxDepth) ?? 'The body is not valid JSON.',
})

const parseNatively = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
// `[` and `{`, `]` and `}` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b
const closing = 0x7d

/**
 * Counts the colons outside strings: in valid JSON, one per key as written. If the parsed value has fewer keys, a key
 * was repeated. Undefined when the text nests too deeply, which must be known before any code recurses over the value.
 */
function countKeysWritten(text: string, maxDepth: number): number | undefined {
  let colons = 0
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === quote) inString = false
      else if (code === backslash) at += 1
    } else if (code === quote) inString = true
    else if (code === colon) colons += 1
    else if ((code | bracketBit) === opening) {
      depth += 1
      if (depth > maxDepth) return undefined
    } else if ((code | bracketBit) === closing) depth -= 1
  }
  return colons
}

interface Walk {
  keys: number
  /** `findJsonProblem` has to decide. */
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

/** Recursion is safe: `countKeysWritten` has checked the depth. */
function walkValue(value: unknown, walk: Walk): void {
  if (typeof value === 'number') {
    // Includes Infinity, from a literal such as 1e999.
    if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) walk.isSuspicious = true
  } else if (typeof value === 'string') {
    if (walk.checkStrings && isBadString(value)) walk.isSuspicious = true
  } else if (Array.isArray(value)) {
    for (const item of value) walkValue(item, walk)
  } else if (typeof value === 'object' && value !== null) walkMembers(value as Record<string, unknown>, walk)
}

// `Object.entries` would take three times as long on an object of 300,000 keys.
function walkMembers(value: Record<string, unknown>, walk: Walk): void {
  for (const key of Object.keys(value)) {
    walk.keys += 1
    if (walk.checkStrings && (key === '__proto__' || isBadString(key))) walk.isSuspicious = true
    walkValue(value[key], walk)
  }
}
