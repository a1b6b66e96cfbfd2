// Finds a run's secrets in text, in any of their forms and in upper or lower case, and replaces them. Only base64 is
// compared exactly: in another case it stands for something else.

import { formsOf, type SecretForm } from './forms.ts'
import { mask } from './mask.ts'
import { headLength, type Match, PatternIndex } from './pattern-index.ts'

/** A part of a text that contains a secret, or several that overlap. */
interface Span {
  readonly start: number
  readonly end: number
  /** Index of the secret; undefined when the text is an encoded form of it, or several secrets overlap. */
  readonly secret: number | undefined
  /** The text differs from the secret in upper and lower case. */
  readonly inOtherCase?: true
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Finds the ranges that stay unchanged even if they match a secret, in order. */
type FindExempt = (text: string) => readonly Range[]

type FormOfSecret = SecretForm & { readonly secret: number }

export class Scrubber {
  readonly #index: PatternIndex
  readonly #forms: readonly FormOfSecret[]
  readonly #findExempt: FindExempt

  constructor(secrets: readonly string[], findExempt: FindExempt) {
    this.#forms = secrets.flatMap((text, secret) => formsOf(text).map((form) => ({ ...form, secret })))
    this.#index = new PatternIndex(
      this.#forms.map(({ text }) => text),
      (pattern) => this.#forms[pattern]?.kind === 'base64',
    )
    this.#findExempt = findExempt
  }

  /** Returns the same text when it contains no secret. */
  scrub(text: string): string {
    return this.replace(text, () => mask)
  }

  replace(text: string, replacement: (span: Span) => string): string {
    const spans = this.find(text)
    if (spans.length === 0) return text
    let [shown, at] = ['', 0]
    for (const span of spans) {
      shown += text.slice(at, span.start) + replacement(span)
      at = span.end
    }
    return shown + text.slice(at)
  }

  /** In order, without overlaps. A text that needs too much work is one span. */
  find(text: string): Span[] {
    if (text.length < headLength) return []
    const matches = this.#index.find(text)
    if (matches === undefined) return [{ start: 0, end: text.length, secret: undefined }]
    if (matches.length === 0) return []
    const remaining = withoutExempt(matches, this.#findExempt(text))
    return mergeOverlaps(remaining.map((match) => this.#toSpan(text, match)))
  }

  /** How many characters of the text can be shown before the rest of it has arrived. */
  safeLength(text: string): number {
    const unfinished = this.#index.findUnfinished(text)
    // If base64 of a secret begins right after it, this character holds a few bits of the secret.
    const cut = isBase64At(text, unfinished - 1) ? unfinished - 1 : unfinished
    // A span that ends with the text, or beyond the cut, may be part of a longer one.
    const open = this.find(text).find(({ end }) => end > cut || end === text.length)
    return Math.min(cut, open?.start ?? cut)
  }

  #toSpan(text: string, { start, end, pattern }: Match): Span {
    const { kind, secret, text: form } = this.#forms[pattern] as FormOfSecret
    if (kind === 'escaped') return { start, end, secret: undefined }
    if (kind === 'raw') return { start, end, secret, ...(!text.startsWith(form, start) && { inOtherCase: true }) }
    return {
      start: isBase64At(text, start - 1) ? start - 1 : start,
      end: isBase64At(text, end) ? end + 1 : end,
      secret: undefined,
    }
  }
}

const isBase64At = (text: string, at: number): boolean => /[A-Za-z0-9+/_-]/.test(text.charAt(at))

/** Drops the matches inside exempt ranges. Both lists are sorted, so one pass is enough. */
function withoutExempt(matches: readonly Match[], exempt: readonly Range[]): readonly Match[] {
  let next = 0
  return matches.filter(({ start, end }) => {
    while (next < exempt.length && (exempt[next] as Range).end <= start) next += 1
    const range = exempt[next]
    return range === undefined || start < range.start || end > range.end
  })
}

/** Merges overlapping spans. The result names a secret only if the first span covers the others completely. */
function mergeOverlaps(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end, secret: undefined }
  }
  return merged
}
