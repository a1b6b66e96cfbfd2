// Reads JSON from clients and refuses what PostgreSQL could not store or a parser would silently change.
//
// Every body of the service passes here, so the common case is one linear scan, the native parser and one walk over the
// result. The three together detect every problem but one (whether a huge number was written as an integer); only then,
// or to name the place of a problem, `findJsonProblem` reads the text again, token by token.
import { findJsonProblem } from './strict-json-problem.ts'

export type StrictJson = { ok: true; value: unknown } | { ok: false; problem: string }

export interface StrictJsonOptions {
  /** How many containers may lie inside one another; the outermost is the first. */
  readonly maxDepth: number
}

export function parseStrictJson(text: string, { maxDepth }: StrictJsonOptions): StrictJson {
  const keysWritten = countKeysWritten(text, maxDepth)
  const value = keysWritten === undefined ? undefined : parseNatively(text)
  if (keysWritten === undefined || value === undefined) return refuse(text, maxDepth)

  const census: Census = { keys: 0, doubtful: false, readStrings: mayHideCharacters(text) }
  takeCensus(value, census)
  if (census.doubtful || census.keys !== keysWritten) {
    const problem = findJsonProblem(text, maxDepth)
    if (problem !== undefined) return { ok: false, problem }
  }
  return { ok: true, value }
}

const refuse = (text: string, maxDepth: number): StrictJson => ({
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
 * The colons outside strings: in valid JSON, one per key as written. Fewer keys in the parsed value means that one was
 * written twice. Undefined when the text nests too deep, which must be known before anything recurses over the value.
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

interface Census {
  keys: number
  doubtful: boolean
  /** Strings are only looked into when the text holds something that could spell a refused character. */
  readonly readStrings: boolean
}

// With the `u` flag a surrogate pair is one character, so this finds lone ones only.
const loneSurrogate = /[\ud800-\udfff]/u

/** U+0000 and lone surrogates need an escape or a raw lone surrogate; `__proto__` needs its letters or an escape. */
const mayHideCharacters = (text: string): boolean =>
  text.includes('\\u') || text.includes('__proto__') || loneSurrogate.test(text)

const isDoubtfulText = (text: string): boolean => text.includes('\0') || loneSurrogate.test(text)

/** Recursion is safe: the scan has bounded the depth. */
function takeCensus(value: unknown, census: Census): void {
  if (typeof value === 'number') {
    // Infinity included: a literal such as 1e999.
    if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) census.doubtful = true
  } else if (typeof value === 'string') {
    if (census.readStrings && isDoubtfulText(value)) census.doubtful = true
  } else if (Array.isArray(value)) {
    for (const item of value) takeCensus(item, census)
  } else if (typeof value === 'object' && value !== null) countMembers(value as Record<string, unknown>, census)
}

// `Object.keys` and not `Object.entries`: the latter takes three times as long on an object of 300,000 keys.
function countMembers(value: Record<string, unknown>, census: Census): void {
  for (const key of Object.keys(value)) {
    census.keys += 1
    if (census.readStrings && (key === '__proto__' || isDoubtfulText(key))) census.doubtful = true
    takeCensus(value[key], census)
  }
}
