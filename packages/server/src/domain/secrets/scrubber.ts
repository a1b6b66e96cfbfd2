// Finds a run's secrets in text, in any of their forms, and replaces them.

import { foldCase } from './fold-case.ts'
import { foldAlphabet, formsOf } from './forms.ts'
import { mask } from './mask.ts'
import { headLength, type Pattern, PatternIndex, type SearchWork } from './pattern-index.ts'

/** A part of a text that contains a secret, or several that overlap. */
export interface Span {
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

/** How many characters may be compared for a value: a fixed amount, plus some for each character of its texts. */
const baseWork = 1_000_000
const workPerCharacter = 8

/** One for each value that is searched, however many texts it has. */
export const newSearchWork = (): SearchWork => ({ left: baseWork })

export class Scrubber {
  readonly #indexOf: ReadonlyMap<string, number>
  /** Matches in either case. */
  readonly #texts: FormIndex
  readonly #base64: FormIndex
  readonly #findExempt: FindExempt

  constructor(secrets: readonly string[], findExempt: FindExempt) {
    this.#indexOf = new Map(secrets.map((text, index) => [text, index]))
    const [texts, base64]: [Form[], Form[]] = [[], []]
    for (const [secret, text] of secrets.entries()) {
      const forms = formsOf(text)
      texts.push({ pattern: forms.raw, secret, isRaw: true }, ...forms.escaped.map((pattern) => ({ pattern, secret })))
      base64.push(...forms.base64.map((pattern) => ({ pattern, secret })))
    }
    this.#texts = new FormIndex(texts, foldCase)
    this.#base64 = new FormIndex(base64, foldAlphabet)
    this.#findExempt = findExempt
  }

  /** Returns the same text when it contains no secret. */
  scrub(text: string, work = newSearchWork()): string {
    return this.replace(text, () => mask, work)
  }

  replace(text: string, replacement: (span: Span) => string, work = newSearchWork()): string {
    const spans = this.#find(text, work)
    if (spans.length === 0) return text
    let [shown, at] = ['', 0]
    for (const span of spans) {
      shown += text.slice(at, span.start) + replacement(span)
      at = span.end
    }
    return shown + text.slice(at)
  }

  /** The indexes of the secrets in a text, in any form. All of them if the search takes too much work. */
  secretsIn(text: string, work = newSearchWork()): ReadonlySet<number> {
    if (text.length < headLength) return new Set()
    work.left += workPerCharacter * text.length
    const matches = this.#matches(text, work)
    if (work.left < 0) return new Set(this.#indexOf.values())
    return new Set(matches.map(({ secret }) => secret))
  }

  /** In order, without those in exempt ranges. They may overlap. */
  #matches(text: string, work: SearchWork): readonly FormMatch[] {
    const [texts, base64] = [this.#texts.find(text, work), this.#base64.find(text, work)]
    const matches = base64.length === 0 ? texts : [...texts, ...base64]
    // A text that needs too much work is hidden as a whole.
    if (matches.length === 0 || work.left < 0) return matches
    const inOrder = matches.toSorted((a, b) => a.start - b.start || b.end - a.end)
    return withoutExempt(inOrder, this.#findExempt(text))
  }

  /** In order, without overlaps. A text that needs too much work is one span. */
  #find(text: string, work: SearchWork): Span[] {
    if (text.length < headLength) return []
    work.left += workPerCharacter * text.length
    const matches = this.#matches(text, work)
    if (work.left < 0) return [{ start: 0, end: text.length, secret: undefined }]
    if (matches.length === 0) return []
    return mergeOverlaps(matches.map((match) => this.#toSpan(text, match)))
  }

  /** How many characters of the text can be shown before the rest of it has arrived. */
  safeLength(text: string): number {
    const work = newSearchWork()
    const unfinished = Math.min(this.#texts.findUnfinished(text, work), this.#base64.findUnfinished(text, work))
    // If base64 of a secret begins right after it, this character holds a few bits of the secret.
    const cut = isBase64At(text, unfinished - 1) ? unfinished - 1 : unfinished
    // A span that ends with the text, or beyond the cut, may be part of a longer one.
    const open = this.#find(text, newSearchWork()).find(({ end }) => end > cut || end === text.length)
    return Math.min(cut, open?.start ?? cut)
  }

  #toSpan(text: string, { start, end, secret, isRaw, isBase64 }: FormMatch): Span {
    if (!isBase64 && !isRaw) return { start, end, secret: undefined }
    // Another secret may differ from the one that was found in upper and lower case only.
    const exact = this.#indexOf.get(text.slice(start, end))
    if (!isBase64) return { start, end, secret: exact ?? secret, ...(exact === undefined && { inOtherCase: true }) }
    // The characters next to base64 may hold a few bits of the secret.
    return {
      start: isBase64At(text, start - 1) ? start - 1 : start,
      end: isBase64At(text, end) ? end + 1 : end,
      secret: undefined,
    }
  }
}

interface Form {
  readonly pattern: Pattern
  /** The index of the secret. Another secret can have the same form. */
  readonly secret: number
  /** The pattern is the secret itself. */
  readonly isRaw?: true | undefined
}

interface FormMatch extends Range, Omit<Form, 'pattern'> {
  readonly isBase64: boolean
}

/** Changes a text so that texts that mean the same are equal; never its length. */
type Fold = (text: string) => string

/** Finds forms in texts. The forms are folded. */
class FormIndex {
  readonly #index: PatternIndex
  readonly #forms: readonly Form[]
  readonly #fold: Fold

  constructor(forms: readonly Form[], fold: Fold) {
    this.#forms = forms
    this.#fold = fold
    this.#index = new PatternIndex(forms.map(({ pattern }) => pattern))
  }

  /** Nothing when `work` is used up: then the caller hides the text as a whole. */
  find(text: string, work: SearchWork): FormMatch[] {
    const matches = this.#index.find(this.#fold(text), work) ?? []
    if (matches.length === 0) return []
    const isBase64 = this.#fold === foldAlphabet
    return matches.map(({ start, end, pattern }) => {
      const { secret, isRaw } = this.#forms[pattern] as Form
      return { start, end, secret, isRaw, isBase64 }
    })
  }

  findUnfinished(text: string, work: SearchWork): number {
    return this.#index.findUnfinished(this.#fold(text), work)
  }
}

const isBase64At = (text: string, at: number): boolean => /[A-Za-z0-9+/_-]/.test(text.charAt(at))

/** Drops the matches inside exempt ranges. Both lists are sorted, so one pass is enough. */
function withoutExempt(matches: readonly FormMatch[], exempt: readonly Range[]): readonly FormMatch[] {
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
