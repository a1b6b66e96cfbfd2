// Sums up what went into a tool or came out of it, for the events of a run: a little of the content, and its size.
import { maxHighlights, previewLength, type ToolSummary } from '@runwright/contract'
import { limitDepth } from '../json/limit-depth.ts'
import { cutText, storableText } from '../text.ts'
import { compareLeaves, type Leaf } from './compare-leaves.ts'

/**
 * Takes the value as it may be shown, then as it was before redaction, of which nothing but counts gets into the summary:
 * whoever forgets the second shows no more. Both are JSON, or undefined when there is no value at all.
 */
export function summarize(shown: unknown, original: unknown = shown): ToolSummary {
  const after = limitDepth(shown)
  const before = original === shown ? after : limitDepth(original)
  const json = toJson(after)
  const text = typeof after === 'string' ? after : json
  const preview = text === undefined ? null : cut(text)
  const leaves = compareLeaves(after, before, maxHighlights)
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
    // A highlight's value that was cut would not fit into the preview either.
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

const highlight = ({ location, value, redacted }: Leaf) => ({
  key: cut(showPath(location)),
  value: cut(typeof value === 'string' ? value : JSON.stringify(value)).text,
  redacted,
})

const plainKey = /^[A-Za-z_$][\w$-]*$/

/** `a.b[0]["odd key"]`; `$` is the value itself. */
function showPath(location: Leaf['location']): string {
  if (location.length === 0) return '$'
  const path = location.map((part) => {
    if (typeof part === 'number') return `[${part}]`
    return plainKey.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
  })
  return path.join('').replace(/^\./, '')
}
