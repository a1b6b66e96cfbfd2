// JSON that a model wrote. Reading is tolerant of what models put around it: reasoning in <think> blocks, Markdown
// fences, prose before and after, trailing commas. What is read can be stored: no U+0000, no lone surrogates, bounded
// depth.
//
// The text may be hostile: a web page can tell a model what to write. So the time is proportional to its length, and
// nothing is parsed before it is known how deep and how large it is.
import { maxJsonDepth } from '@runwright/contract'
import { storableText } from '../text.ts'
import { type JsonLimits, scanJson, withoutTrailingCommas } from './scan-json.ts'

/** So many places are tried: text full of braces or fences must not cost more than a moment. */
const maxStarts = 8

/** More than fits into the longest answer of today's models, and less than takes the process a noticeable time. */
export const maxModelParts = 50_000

const limits: JsonLimits = { maxDepth: maxJsonDepth, maxParts: maxModelParts }

interface ModelJson {
  readonly value: unknown
}

/** The text as one JSON value, to the letter. */
export function parseModelJson(text: string): ModelJson | undefined {
  const trimmed = text.trim()
  if (startsContainer(trimmed) && scanJson(trimmed, 0, limits).end !== trimmed.length) return undefined
  return parse(trimmed)
}

/** The JSON object or array that the text is as a whole, apart from reasoning and one fence around it. */
export function findWholeJson(text: string): ModelJson | undefined {
  const parsed = parseLoosely(withoutFence(withoutReasoning(text).trim()))
  return parsed !== undefined && isContainer(parsed.value) ? parsed : undefined
}

/** The JSON that the text holds somewhere: as a whole, in a fence, or the first object or array in the prose. */
export function findModelJson(text: string): ModelJson | undefined {
  const said = withoutReasoning(text)
  return parseLoosely(said) ?? firstInFence(said) ?? firstContainer(said)
}

const fence = '```'

function withoutFence(text: string): string {
  const isFenced = text.length >= 2 * fence.length && text.startsWith(fence) && text.endsWith(fence)
  return isFenced ? text.slice(endOfInfo(text, fence.length), -fence.length) : text
}

/** Where the name of the language ends that follows the opening of a fence. */
function endOfInfo(text: string, start: number): number {
  let end = start
  while (end < text.length && /[\w-]/.test(text.charAt(end))) end += 1
  return end
}

function firstInFence(text: string): ModelJson | undefined {
  let at = 0
  for (let tried = 0; tried < maxStarts; tried += 1) {
    const open = text.indexOf(fence, at)
    const start = open < 0 ? -1 : endOfInfo(text, open + fence.length)
    const close = start < 0 ? -1 : text.indexOf(fence, start)
    if (close < 0) return undefined
    const parsed = parseLoosely(text.slice(start, close))
    if (parsed && isContainer(parsed.value)) return parsed
    at = close + fence.length
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

const startsContainer = (text: string): boolean => text.startsWith('{') || text.startsWith('[')

function parseLoosely(text: string): ModelJson | undefined {
  const trimmed = text.trim()
  if (!startsContainer(trimmed)) return parse(trimmed)
  const scanned = scanJson(trimmed, 0, limits)
  return scanned.end === trimmed.length ? parse(withoutTrailingCommas(trimmed, 0, scanned)) : undefined
}

/** Up to this length, every place that is tried may take the whole text. */
const smallText = 500_000

/** A container that is not JSON is looked into, but not over and over: a long one uses up the budget. */
function firstContainer(text: string): ModelJson | undefined {
  let budget = 2 * text.length + smallText
  let start = nextOpening(text, 0)
  for (let tried = 0; start >= 0 && tried < maxStarts && budget > 0; tried += 1) {
    const scanned = scanJson(text, start, limits)
    const parsed = scanned.end === undefined ? undefined : parse(withoutTrailingCommas(text, start, scanned))
    if (parsed) return parsed
    budget -= scanned.length
    start = nextOpening(text, start + 1)
  }
  return undefined
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (startsContainer(text.charAt(at))) return at
  return -1
}

/** The depth of the text was checked before, so that the value can be walked. */
function parse(text: string): ModelJson | undefined {
  try {
    return { value: makeStorable(JSON.parse(text)) }
  } catch {
    return undefined
  }
}

/** Changes the value in place: a copy of a large one would take longer than to parse it. */
function makeStorable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = makeStorable(value[index])
    return value
  }
  return makeMembersStorable(value as Record<string, unknown>)
}

function makeMembersStorable(members: Record<string, unknown>): unknown {
  const keys = Object.keys(members)
  if (!keys.every(isStorable)) {
    return Object.fromEntries(keys.map((key) => [storableText(key), makeStorable(members[key])]))
  }
  for (const key of keys) members[key] = makeStorable(members[key])
  return members
}

const isStorable = (key: string): boolean => key !== '__proto__' && storableText(key) === key
