// Handles the secrets of one run: replaces them with placeholders for models and plans, fills them in for tools, and
// removes them from all output.
//
//   hide   a secret, unchanged          → its placeholder     what models and plans see
//   fill   a placeholder of this run    → the secret          the input of a tool
//   show   a placeholder of this run    → "***", or removed   a tool's input as people see it
//   scrub  a secret in any form         → "***", or removed   everything that leaves the run
//
// A replaced secret tells the author of the text that a guess was right. `repeatedIn` says which secrets it was.
//
// An untagged text can contain a secret in an encoded form, such as base64 in a header. No path selects that part of
// the text, so it is kept in a list next to the document, and its placeholder names `$.hidden[0]`, `$.hidden[1]` …
import type { SensitivityTag } from '@runwright/contract'
import { gone, type Kept, type Leaf, mapLeaves } from '../json/map-leaves.ts'
import { mapTextBetween, placeholderStart } from '../plan/template.ts'
import { isGuessable } from './guessable.ts'
import { type SecretLeaf, searchedLeaves, searchedText } from './leaves.ts'
import { mask } from './mask.ts'
import type { SearchWork } from './pattern-index.ts'
import { findUnfinishedPlaceholder, placeholderFor } from './placeholder.ts'
import { type Secret, SecretPlaces } from './places.ts'
import { replaceTagged } from './replace-tagged.ts'
import { newSearchWork, Scrubber, type Span } from './scrubber.ts'
import { type TaggableDocument, type TaggedLocation, taggedLocations } from './tagged-locations.ts'

/**
 * Replaces a part of a text that contains a secret in another form. `secret` is its index if the form differs only in
 * upper and lower case.
 */
type HidePart = (text: string, secret: number | undefined) => string

/** A secret that another text repeats. */
export interface RepeatedSecret extends Secret {
  /** It can be found by trying. */
  readonly isGuessable: boolean
}

interface KeeperOptions {
  readonly document: TaggableDocument
  readonly locations: readonly TaggedLocation[]
  /** The parts of texts that were hidden before; they keep their numbers. */
  readonly hidden?: readonly string[] | undefined
}

export class SecretKeeper {
  readonly locations: readonly TaggedLocation[]
  readonly #document: TaggableDocument
  readonly #places: SecretPlaces
  readonly #leaves: readonly SecretLeaf[]
  /** The index of each leaf. Texts that are exactly a secret need no search. */
  readonly #leafOf: ReadonlyMap<string, number>
  readonly #scrubber: Scrubber
  /** Values in which there is nothing to fill in. The input of a call may be large, and is filled several times. */
  readonly #withoutPlaceholders = new WeakSet<object>()
  #shown: TaggableDocument | undefined

  constructor({ document, locations, hidden = [] }: KeeperOptions) {
    this.locations = locations
    this.#document = document
    this.#places = new SecretPlaces(document, locations, hidden)
    this.#leaves = searchedLeaves(locations)
    this.#leafOf = new Map(this.#leaves.map(({ text }, index) => [text, index]))
    this.#scrubber = new Scrubber(
      this.#leaves.map(({ text }) => text),
      (text) => this.#places.find(text),
    )
  }

  /** Undefined when the document has no secrets. */
  static find(
    document: TaggableDocument,
    tags: readonly SensitivityTag[] | undefined,
    hidden?: readonly string[],
  ): SecretKeeper | undefined {
    const locations = taggedLocations(document, tags)
    return locations.length === 0 ? undefined : new SecretKeeper({ document, locations, hidden })
  }

  /** The parts of texts hidden so far. */
  get hidden(): readonly string[] {
    return this.#places.hidden
  }

  /** The document as models and templates see it: a placeholder in place of every secret. */
  get shown(): TaggableDocument {
    this.#shown ??= this.#hide(
      replaceTagged(this.#document, this.locations, ({ location }) => placeholderFor(location)),
      this.#hidePart,
    ) as TaggableDocument
    return this.#shown
  }

  /** The secrets that a value repeats in any form, each once. */
  repeatedIn(value: unknown): RepeatedSecret[] {
    const work = newSearchWork()
    const found = new Set<number>()
    const search = (text: string | undefined) => {
      if (text !== undefined) for (const secret of this.#scrubber.secretsIn(text, work)) found.add(secret)
    }
    const leaf = (leaf: Leaf) => {
      search(searchedText(leaf))
      return leaf
    }
    const key = (key: string) => {
      search(key)
      return key
    }
    mapLeaves(value, { leaf, key })
    return [...found].flatMap((secret) => this.#repeated(secret))
  }

  #repeated(secret: number): RepeatedSecret[] {
    const { text } = this.#leaves[secret] as SecretLeaf
    return this.#places.find(this.#placeholderOf(secret)).map((place) => ({ ...place, isGuessable: isGuessable(text) }))
  }

  /** `work` is shared by all texts of a value. */
  scrubText(text: string, work?: SearchWork): string {
    return this.#scrubber.scrub(text, work)
  }

  /** For a text that was cut and ends with an ellipsis: also masks the beginning of a secret at the cut. */
  scrubCut(text: string): string {
    const scrubbed = this.scrubText(text)
    if (!scrubbed.endsWith('…')) return scrubbed
    const whole = scrubbed.slice(0, -1)
    const safe = this.#scrubber.safeLength(whole)
    return whole.length - safe < 4 ? scrubbed : `${whole.slice(0, safe)}${mask}…`
  }

  /** Returns the value itself when it contains no secret. */
  scrub(value: unknown, kept?: Kept): unknown {
    const work = newSearchWork()
    const scrubbed = mapLeaves(
      value,
      { leaf: (leaf) => this.#scrubLeaf(leaf, work), key: (key) => this.scrubText(key, work) },
      kept,
    )
    return scrubbed === gone ? mask : scrubbed
  }

  /** Masks the secrets in a leaf; returns the leaf itself when it contains none. */
  maskLeaf(leaf: Leaf, work?: SearchWork): Leaf {
    const text = searchedText(leaf)
    if (text !== undefined && this.#leafOf.has(text)) return mask
    const scrubbed = text === undefined ? text : this.scrubText(text, work)
    if (scrubbed === text) return leaf
    return typeof leaf === 'string' ? (scrubbed as string) : mask
  }

  /** How many characters of the text can be shown before the rest of it has arrived. */
  safeLength(text: string): number {
    return Math.min(this.#scrubber.safeLength(text), findUnfinishedPlaceholder(text))
  }

  /**
   * Nothing is stored with the value to restore other forms of a secret from: encoded ones become "***", and those in
   * another case become the placeholder.
   */
  hide(value: unknown): unknown {
    return this.#hide(value, (_, secret) => (secret === undefined ? mask : this.#placeholderOf(secret)))
  }

  /** For a plan, which is stored with `hidden`, so nothing is lost. Templates and `names` stay unchanged. */
  hideInPlan(plan: unknown, names: Kept): unknown {
    const work = newSearchWork()
    const stepIds = stepIdsOf(plan)
    const hide = (leaf: Leaf) => this.#hideLeaf(leaf, this.#hidePart, work)
    const leaf = (leaf: Leaf) =>
      typeof leaf === 'string' && leaf.includes('{{')
        ? mapTextBetween(leaf, stepIds, (text) => String(hide(text)))
        : hide(leaf)
    return mapLeaves(plan, { leaf, key: (key) => key }, names)
  }

  /**
   * Leaves other runs' placeholders, and those of secrets that `mayFill` refuses, unchanged. A text that is exactly one
   * placeholder becomes its JSON value.
   */
  fill(value: unknown, mayFill: (secret: Secret) => boolean = () => true): unknown {
    if (this.#withoutPlaceholders.has(value as object)) return value
    let hasPlaceholders = false
    const leaf = (leaf: Leaf) => {
      if (typeof leaf !== 'string' || !leaf.includes(placeholderStart)) return leaf
      hasPlaceholders = true
      return this.#fillText(leaf, mayFill)
    }
    const filled = mapLeaves(value, { leaf, key: (key) => key })
    if (!hasPlaceholders && typeof value === 'object' && value !== null) this.#withoutPlaceholders.add(value)
    return filled
  }

  /** The secrets that `fill` would fill in, each source once. */
  secretsIn(value: unknown): Secret[] {
    const found = new Map<string, Secret>()
    this.fill(value, (secret) => {
      found.set(secret.source, secret)
      return false
    })
    return [...found.values()]
  }

  show(value: unknown): unknown {
    const work = newSearchWork()
    const leaf = (leaf: Leaf) => (typeof leaf === 'string' ? this.#showText(leaf, work) : this.#scrubLeaf(leaf, work))
    const shown = mapLeaves(value, { leaf, key: (key) => this.scrubText(key, work) })
    return shown === gone ? mask : shown
  }

  /** The placeholder for a template's path; undefined when its value is not a secret or part of one. */
  placeholderAt(root: 'input' | 'metadata', path: readonly string[]): string | undefined {
    return this.#places.placeholderAt(root, path)
  }

  #scrubLeaf(leaf: Leaf, work: SearchWork): unknown {
    const text = searchedText(leaf)
    const secret = text === undefined ? undefined : this.#leafOf.get(text)
    const isDropped = secret !== undefined && this.#leaves[secret]?.redaction === 'drop'
    return isDropped ? gone : this.maskLeaf(leaf, work)
  }

  #hide(value: unknown, hidePart: HidePart): unknown {
    const work = newSearchWork()
    return mapLeaves(value, {
      leaf: (leaf) => this.#hideLeaf(leaf, hidePart, work),
      key: (key) => this.scrubText(key, work),
    })
  }

  #hideLeaf(leaf: Leaf, hidePart: HidePart, work: SearchWork): Leaf {
    const text = searchedText(leaf)
    if (text === undefined) return leaf
    const whole = this.#leafOf.get(text)
    if (whole !== undefined) return this.#placeholderOf(whole)
    const replacement = ({ start, end, secret, inOtherCase }: Span) =>
      secret === undefined || inOtherCase ? hidePart(text.slice(start, end), secret) : this.#placeholderOf(secret)
    const hidden = this.#scrubber.replace(text, replacement, work)
    return hidden === text ? leaf : hidden
  }

  #placeholderOf(secret: number): string {
    return placeholderFor((this.#leaves[secret] as SecretLeaf).location)
  }

  readonly #hidePart: HidePart = (text) => this.#places.hidePart(text)

  #fillText(text: string, mayFill: (secret: Secret) => boolean): unknown {
    const replacement = (secret: Secret, placeholder: string) =>
      mayFill(secret) ? { whole: secret.value, part: textOf(secret.value) } : { whole: text, part: placeholder }
    return this.#replaceOwn(text, replacement)
  }

  #showText(text: string, work: SearchWork): unknown {
    const shown = this.#replaceOwn(text, ({ redaction }) => ({ whole: redaction === 'drop' ? gone : mask, part: mask }))
    return typeof shown === 'string' ? this.#scrubLeaf(shown, work) : shown
  }

  #replaceOwn(
    text: string,
    replacement: (secret: Secret, placeholder: string) => { whole: unknown; part: string },
  ): unknown {
    if (!text.includes(placeholderStart)) return text
    let [replaced, at] = ['', 0]
    for (const placeholder of this.#places.find(text)) {
      const { start, end } = placeholder
      const { whole, part } = replacement(placeholder, text.slice(start, end))
      if (end - start === text.length) return whole
      replaced += text.slice(at, start) + part
      at = end
    }
    return replaced + text.slice(at)
  }
}

/** Of a plan as it was sent. A step without an id gets one later. */
function stepIdsOf(plan: unknown): ReadonlySet<string> {
  const { steps = [] } = plan as { readonly steps?: readonly { readonly id?: string }[] }
  return new Set(steps.flatMap(({ id }) => id ?? []))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
