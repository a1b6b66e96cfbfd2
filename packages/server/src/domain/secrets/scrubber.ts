// Finds a run's secrets in text, whatever form they have, and hides them.

import { formsOf, type SecretForm } from './forms.ts'
import { headLength, type Match, PatternIndex } from './pattern-index.ts'
import { mask } from './replace-tagged.ts'

/** A stretch of text that shows a secret, or several that overlap. */
export interface Span {
  readonly start: number
  readonly end: number
  /** Which secret, if it is exactly this one and as it is. */
  readonly secret: number | undefined
}

interface Stretch {
  readonly start: number
  readonly end: number
}

/** Stretches that are no secrets although they may read like one, in order. */
export type FindKept = (text: string) => readonly Stretch[]

type FormOfSecret = SecretForm & { readonly secret: number }

export class Scrubber {
  readonly #index: PatternIndex
  readonly #forms: readonly FormOfSecret[]
  readonly #findKept: FindKept

  constructor(secrets: readonly string[], findKept: FindKept) {
    this.#forms = secrets.flatMap((text, secret) => formsOf(text).map((form) => ({ ...form, secret })))
    this.#index = new PatternIndex(this.#forms.map(({ text }) => text))
    this.#findKept = findKept
  }

  /** The very same text when nothing in it is secret. */
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

  /** In order, none touching another's characters. A text that asks for too much work is one span. */
  find(text: string): Span[] {
    if (text.length < headLength) return []
    const matches = this.#index.find(text)
    if (matches === undefined) return [{ start: 0, end: text.length, secret: undefined }]
    if (matches.length === 0) return []
    const shown = withoutKept(matches, this.#findKept(text))
    return unite(shown.map((match) => this.#toSpan(text, match)))
  }

  /** How much of the beginning of a text can be shown before its continuation is known. */
  safeLength(text: string): number {
    const unfinished = this.#index.findUnfinished(text)
    // Base64 could begin right after it, and then its last character holds a few bits of the secret.
    const cut = isBase64At(text, unfinished - 1) ? unfinished - 1 : unfinished
    // What ends with the text, or beyond the cut, may turn out to be part of something longer.
    const open = this.find(text).find(({ end }) => end > cut || end === text.length)
    return Math.min(cut, open?.start ?? cut)
  }

  #toSpan(text: string, { start, end, pattern }: Match): Span {
    const { kind, secret } = this.#forms[pattern] as FormOfSecret
    if (kind !== 'base64') return { start, end, secret: kind === 'raw' ? secret : undefined }
    return {
      start: isBase64At(text, start - 1) ? start - 1 : start,
      end: isBase64At(text, end) ? end + 1 : end,
      secret: undefined,
    }
  }
}

const isBase64At = (text: string, at: number): boolean => /[A-Za-z0-9+/_-]/.test(text.charAt(at))

/** Both in order: one pass over the two. */
function withoutKept(matches: readonly Match[], kept: readonly Stretch[]): readonly Match[] {
  let next = 0
  return matches.filter(({ start, end }) => {
    while (next < kept.length && (kept[next] as Stretch).end <= start) next += 1
    const place = kept[next]
    return place === undefined || start < place.start || end > place.end
  })
}

/** Spans that overlap become one, which is no longer any one secret, unless it is all of the first. */
function unite(spans: readonly Span[]): Span[] {
  const united: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = united.at(-1)
    if (last === undefined || span.start >= last.end) united.push(span)
    else if (span.end > last.end) united[united.length - 1] = { start: last.start, end: span.end, secret: undefined }
  }
  return united
}
