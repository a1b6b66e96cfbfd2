// Looks through JSON text without parsing it, in one pass: how deep it nests, where its first value ends, and what the
// tolerant reader has to repair. So the work of parsing is known before it begins.

export interface ScannedJson {
  /** Where the first object or array closes, behind its bracket. Undefined: it does not close. */
  readonly end: number | undefined
  /** The text nests too deeply or has too many parts. Nothing after that place was looked at. */
  readonly exceedsLimits: boolean
  /** The places of commas right before a closing bracket, in order. */
  readonly trailingCommas: readonly number[]
  /** How many characters were looked at. */
  readonly length: number
}

export interface JsonLimits {
  readonly maxDepth: number
  /** Of values and keys together. */
  readonly maxParts: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
// `[` and `{`, `]` and `}` differ in this bit only.
const bracketBit = 0x20
const opening = 0x7b
const closing = 0x7d

const isWhiteSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Brackets, commas and colons in strings do not count. Whether the text is valid is left to the parser. */
export function scanJson(text: string, start: number, { maxDepth, maxParts }: JsonLimits): ScannedJson {
  const trailingCommas: number[] = []
  let [depth, parts, lastComma] = [0, 1, -1]
  const result = (at: number, found: { end?: number; exceedsLimits?: boolean } = {}): ScannedJson => ({
    end: found.end,
    exceedsLimits: found.exceedsLimits ?? false,
    trailingCommas,
    length: at - start,
  })
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isWhiteSpace(code)) continue
    if (code === quote) at = endOfString(text, at)
    else if ((code | bracketBit) === opening) {
      depth += 1
      parts += 1
    } else if ((code | bracketBit) === closing) {
      if (lastComma >= 0) trailingCommas.push(lastComma)
      depth -= 1
      if (depth === 0) return result(at + 1, { end: at + 1 })
    } else if (code === comma || code === colon) parts += 1
    if (depth > maxDepth || parts > maxParts) return result(at, { exceedsLimits: true })
    lastComma = code === comma ? at : -1
  }
  return result(text.length)
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at += 1
  }
  return text.length
}

/** The value that was scanned from `start` on, without its trailing commas. */
export function withoutTrailingCommas(text: string, start: number, { end, trailingCommas }: ScannedJson): string {
  let [kept, at] = ['', start]
  for (const place of trailingCommas) {
    kept += text.slice(at, place)
    at = place + 1
  }
  return kept + text.slice(at, end)
}
