// JSON that a model wrote. Reading is tolerant of what models put around it: reasoning in <think> blocks, Markdown
// fences, prose before and after, trailing commas. What is read can be stored: no U+0000, no lone surrogates, bounded
// depth.
import { maxJsonDepth } from '@runwright/contract'
import { storableText } from '../text.ts'

/** So many places are tried: text full of braces or fences must not cost more than a moment. */
const maxStarts = 8

interface ModelJson {
  readonly value: unknown
}

/** The text as one JSON value, to the letter. */
export function parseModelJson(text: string): ModelJson | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return nestsDeeperThan(maxJsonDepth, value) ? undefined : { value: storable(value) }
  } catch {
    return undefined
  }
}

/** The JSON object or array that the text is as a whole, apart from reasoning and one fence around it. */
export function findWholeJson(text: string): ModelJson | undefined {
  const said = withoutReasoning(text).trim()
  const inside = /^```[\w-]*\s*\n?([\s\S]*?)\n?\s*```$/.exec(said)?.[1]
  const parsed = parseLoosely(inside ?? said)
  return parsed !== undefined && isContainer(parsed.value) ? parsed : undefined
}

/** The JSON that the text holds somewhere: as a whole, in a fence, or the first object or array in the prose. */
export function findModelJson(text: string): ModelJson | undefined {
  const said = withoutReasoning(text)
  const whole = parseLoosely(said)
  if (whole) return whole
  return firstInFence(said) ?? firstContainer(said)
}

function firstInFence(text: string): ModelJson | undefined {
  let tried = 0
  for (const [, inside = ''] of text.matchAll(/```[\w-]*\s*\n?([\s\S]*?)```/g)) {
    const parsed = parseLoosely(inside)
    if (parsed && isContainer(parsed.value)) return parsed
    tried += 1
    if (tried === maxStarts) return undefined
  }
  return undefined
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

const openingTag = /<(think|thinking|reasoning)>/gi
const closingTag = /<\/(?:think|thinking|reasoning)>/gi

/** A block that is never closed is reasoning that was cut off: nothing in it is the answer. */
export function withoutReasoning(text: string): string {
  let kept = ''
  let at = endOfUnopened(text)
  for (;;) {
    const opening = findFrom(openingTag, text, at)
    if (!opening) return kept + text.slice(at)
    kept += text.slice(at, opening.index)
    const closing = findFrom(closingTag, text, opening.end)
    if (!closing) return kept
    at = closing.end
  }
}

/** Some servers swallow the opening tag: then everything up to the closing one is reasoning. */
function endOfUnopened(text: string): number {
  const closing = findFrom(closingTag, text, 0)
  const opening = findFrom(openingTag, text, 0)
  return closing && (!opening || closing.index < opening.index) ? closing.end : 0
}

function findFrom(tag: RegExp, text: string, from: number): { index: number; end: number } | undefined {
  tag.lastIndex = from
  const found = tag.exec(text)
  return found ? { index: found.index, end: tag.lastIndex } : undefined
}

function parseLoosely(text: string): ModelJson | undefined {
  const trimmed = text.trim()
  return parseModelJson(trimmed) ?? parseModelJson(withoutTrailingCommas(trimmed))
}

function firstContainer(text: string): ModelJson | undefined {
  let tried = 0
  for (let start = nextOpening(text, 0); start >= 0 && tried < maxStarts; start = nextOpening(text, start + 1)) {
    tried += 1
    const end = closingOf(text, start)
    const parsed = end === undefined ? undefined : parseLoosely(text.slice(start, end + 1))
    if (parsed) return parsed
  }
  return undefined
}

function nextOpening(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/)
  return found < 0 ? -1 : from + found
}

/** Where the container that opens at `start` closes; brackets in strings do not count. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return undefined
}

/** Outside strings, a comma before a closing bracket goes. */
function withoutTrailingCommas(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (match) => (match === ',' ? '' : match))
}

const nestsDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => nestsDeeperThan(levels - 1, inner)))

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storableText(key), storable(member)]))
}
