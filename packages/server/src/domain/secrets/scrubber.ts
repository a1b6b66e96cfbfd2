// Finds a run's secrets in text, in any of their forms, and replaces them.

import { foldCase } from './fold-case.ts'
import { foldAlphabet, formsOf } from './forms.ts'
import { mask } from './mask.ts'
import { headLength, type Pattern, PatternIndex, type Range, type SearchWork } from './pattern-index.ts'

/** A part of a text that contains a secret, or several that overlap. */
export interface Span {
  readonly start: number
  readonly end: number
  /** Index of the secret; undefined when the text is an encoded form of it, or several secrets overlap. */
  readonly secret: number | undefined
  /** The text differs from the secret in upper and lower case. */
  readonly inOtherCase?: true
}

/** Finds the ranges that stay unchanged even if they match a secret, in order. */
type FindExempt = (text: string) => readonly Range[]

/** How many characters may be compared for a value: a fixed amount, plus some for each character of its texts. */
const baseWork = 1_000_000
const workPerCharacter = 8

/** How many characters are searched before the work can be interrupted. */
const charactersAtOnce = 8_192

/** The search of one value, however many texts it has. */
export interface ValueSearch extends SearchWork {
  /** What is in long texts, which are searched in parts; undefined for one that needs too much work. */
  readonly found: Map<string, readonly FormMatch[] | undefined>
}

export const newSearch = (): ValueSearch => ({ left: baseWork, found: new Map() })

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
  scrub(text: string, search = newSearch()): string {
    return this.replace(text, () => mask, search)
  }

  replace(text: string, replacement: (span: Span) => string, search = newSearch()): string {
    const spans = this.#find(text, search)
    if (spans.length === 0) return text
    let [shown, at] = ['', 0]
    for (const span of spans) {
      shown += text.slice(at, span.start) + replacement(span)
      at = span.end
    }
    return shown + text.slice(at)
  }

  /** The indexes of the secrets in a text, in any form. All of them if the search takes too much work. */
  secretsIn(text: string, search = newSearch()): ReadonlySet<number> {
    const matches = this.#matches(text, search)
    return new Set(matches ? matches.map(({ secret }) => secret) : this.#indexOf.values())
  }

  /**
   * Searches a long text, so that whatever follows in the same search knows what is in it. Yields where the work can be
   * interrupted.
   */
  *searchInParts(text: string, search: ValueSearch): Generator<void, void> {
    if (text.length < headLength || search.found.has(text)) return
    search.left += workPerCharacter * text.length
    const matches: FormMatch[] = []
    for (const index of [this.#texts, this.#base64]) {
      const folded = index.fold(text)
      yield
      for (let start = 0; start < text.length && search.left >= 0; start += charactersAtOnce) {
        matches.push(...index.find(folded, search, { start, end: start + charactersAtOnce }))
        yield
      }
    }
    search.found.set(text, search.left < 0 ? undefined : this.#inOrder(text, matches))
  }

  /** In order, without those in exempt ranges. They may overlap. Undefined when the text needs too much work. */
  #matches(text: string, search: ValueSearch): readonly FormMatch[] | undefined {
    if (text.length < headLength) return []
    if (search.found.size > 0 && search.found.has(text)) return search.found.get(text)
    search.left += workPerCharacter * text.length
    const texts = this.#texts.find(this.#texts.fold(text), search)
    const base64 = this.#base64.find(this.#base64.fold(text), search)
    return search.left < 0 ? undefined : this.#inOrder(text, base64.length === 0 ? texts : [...texts, ...base64])
  }

  #inOrder(text: string, matches: readonly FormMatch[]): readonly FormMatch[] {
    if (matches.length === 0) return matches
    const inOrder = matches.toSorted((a, b) => a.start - b.start || b.end - a.end)
    return withoutExempt(inOrder, this.#findExempt(text))
  }

  /** In order, without overlaps. A text that needs too much work is one span. */
  #find(text: string, search: ValueSearch): Span[] {
    const matches = this.#matches(text, search)
    if (!matches) return [{ start: 0, end: text.length, secret: undefined }]
    if (matches.length === 0) return []
    return mergeOverlaps(matches.map((match) => this.#toSpan(text, match)))
  }

  /** How many characters of the text can be shown before the rest of it has arrived. */
  safeLength(text: string): number {
    const work = newSearch()
    const unfinished = Math.min(this.#texts.findUnfinished(text, work), this.#base64.findUnfinished(text, work))
    // If base64 of a secret begins right after it, this character holds a few bits of the secret.
    const cut = isBase64At(text, unfinished - 1) ? unfinished - 1 : unfinished
    // A span that ends with the text, or beyond the cut, may be part of a longer one.
    const open = this.#find(text, newSearch()).find(({ end }) => end > cut || end === text.length)
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
  readonly fold: Fold
  readonly #index: PatternIndex
  readonly #forms: readonly Form[]

  constructor(forms: readonly Form[], fold: Fold) {
    this.fold = fold
    this.#forms = forms
    this.#index = new PatternIndex(forms.map(({ pattern }) => pattern))
  }

  /** In a folded text. Nothing when `work` is used up: then the caller hides the text as a whole. */
  find(folded: string, work: SearchWork, starts?: Range): FormMatch[] {
    const matches = this.#index.find(folded, work, starts) ?? []
    if (matches.length === 0) return []
    const isBase64 = this.fold === foldAlphabet
    return matches.map(({ start, end, pattern }) => {
      const { secret, isRaw } = this.#forms[pattern] as Form
      return { start, end, secret, isRaw, isBase64 }
    })
  }

  findUnfinished(text: string, work: SearchWork): number {
    return this.#index.findUnfinished(this.fold(text), work)
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
