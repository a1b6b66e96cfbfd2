// Summarizes the input or output of a tool call for a run's events: a preview, some leaves, and sizes.
import { cutText, maxHighlights, previewLength, type ToolSummary } from '@runwright/contract'
import { finish } from '../finish.ts'
import { isDeeper } from '../json/is-deeper.ts'
import { storableText } from '../text.ts'
import { type ComparedLeaf, compareLeaves } from './compare-leaves.ts'

/**
 * `shown` is the value after redaction, `original` the value before it; only counts of `original` get into the summary.
 * Both are JSON, or undefined when there is no value at all.
 */
export const summarize = (shown: unknown, original: unknown = shown): ToolSummary =>
  finish(summarizeInParts(shown, original))

/** As `summarize`. Yields where the work can be interrupted. */
export function* summarizeInParts(shown: unknown, original: unknown = shown): Generator<void, ToolSummary> {
  const after = limitDepth(shown)
  yield
  const before = original === shown ? after : limitDepth(original)
  const json = toJson(after)
  yield
  const text = typeof after === 'string' ? after : json
  const preview = text === undefined ? null : cut(text)
  const leaves = compareLeaves(after, before, maxHighlights)
  yield
  const highlights = leaves.first.map(highlight)
  return {
    schema_version: 'v1',
    preview: preview?.text ?? null,
    highlights: highlights.map(({ key, value, redacted }) => ({ key: key.text, value, redacted })),
    stats: {
      fields_total: leaves.original,
      fields_redacted: leaves.original - leaves.same,
      bytes_before_redaction: byteLength(before === after ? json : toJson(before)),
      bytes_after_redaction: byteLength(json),
    },
    // Values are not checked: if one was cut, the preview, which contains it, was cut too.
    truncated: preview?.wasCut === true || leaves.shown > highlights.length || highlights.some(({ key }) => key.wasCut),
  }
}

const toJson = (value: unknown): string | undefined => JSON.stringify(value)

const byteLength = (json: string | undefined): number => (json === undefined ? 0 : Buffer.byteLength(json))

interface CutText {
  readonly text: string
  readonly wasCut: boolean
}

function cut(text: string): CutText {
  const kept = cutText(text, previewLength)
  return { text: storableText(kept), wasCut: kept.length < text.length }
}

const highlight = ({ location, value, redacted }: ComparedLeaf) => ({
  key: cut(showPath(location)),
  value: cut(typeof value === 'string' ? value : JSON.stringify(value)).text,
  redacted,
})

const plainKey = /^[A-Za-z_$][\w$-]*$/

/** `a.b[0]["odd key"]`, or `$` for the whole value. */
function showPath(location: ComparedLeaf['location']): string {
  if (location.length === 0) return '$'
  const path = location.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return plainKey.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
  })
  return path.join('').replace(/^\./, '')
}

/** Deeper than any value that the service accepts or builds from templates. */
export const maxSummaryDepth = 256

const cutMark = '…'

/**
 * Returns the value itself, or, if it nests deeper, a copy with "…" in place of the levels below, so that it can be
 * walked and serialized: `JSON.parse` reads 200,000 levels, on which `JSON.stringify` overflows the stack.
 */
function limitDepth(value: unknown): unknown {
  return isDeeper(value, maxSummaryDepth) ? cutBelow(value, maxSummaryDepth) : value
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return cutMark
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutBelow(member, levels - 1)]))
}
