// Handles the secrets of one run: replaces them with placeholders for models and plans, fills them in for tools, and
// removes them from all output.
//
//   hide   a secret, unchanged          → its placeholder     what models and plans see
//   fill   a placeholder of this run    → the secret          the input of a tool
//   show   a placeholder of this run    → "***", or removed   a tool's input as people see it
//   scrub  a secret in any form         → "***", or removed   everything that leaves the run
//
// A value may be large, so all of these but `fill` are generators that yield where the work can be interrupted.
//
// A replaced secret tells the author of the text that a guess was right. `repeatedIn` says which secrets it was.
//
// An untagged text can contain a secret in an encoded form, such as base64 in a header. No path selects that part of
// the text, so it is kept in a list next to the document, and its placeholder names `$.hidden[0]`, `$.hidden[1]` …
import { placeholderStart, type SensitivityTag } from '@runwright/contract'
import { finish } from '../finish.ts'
import { gone, type Kept, type Leaf, mapInParts, mapLeaves } from '../json/map-leaves.ts'
import { mapTextBetween } from '../plan/template.ts'
import { isGuessable } from './guessable.ts'
import { type SecretLeaf, searchedLeaves, searchedText } from './leaves.ts'
import { mask } from './mask.ts'
import { findUnfinishedPlaceholder, placeholderFor } from './placeholder.ts'
import { type Secret, SecretPlaces } from './places.ts'
import { replaceTagged } from './replace-tagged.ts'
import { newSearch, Scrubber, type Span, type ValueSearch } from './scrubber.ts'
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

/**
 * How many characters of secrets `fill` puts into one value. A placeholder is short and its secret may be large, so a
 * model that repeats one could otherwise fill the memory.
 */
export const maxFilledLength = 1024 * 1024

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
  readonly #overfilled = new WeakSet<object>()
  /** What `show` has made of values. The input of a call is shown several times. */
  readonly #shownInputs = new WeakMap<object, unknown>()
  /** By the index of the secret, once it was needed. */
  readonly #placeholders: string[] = []
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
    return this.#shown ?? finish(this.prepareShown())
  }

  /** Computes `shown`, which is kept. */
  *prepareShown(): Generator<void, TaggableDocument> {
    if (this.#shown) return this.#shown
    const placed = replaceTagged(this.#document, this.locations, ({ location }) => placeholderFor(location))
    const shown = (yield* this.#hide(placed, this.#hidePart)) as TaggableDocument
    this.#shown = shown
    return shown
  }

  /** The secrets that a value repeats in any form, each once. */
  *repeatedIn(value: unknown): Generator<void, RepeatedSecret[]> {
    const search = newSearch()
    const found = new Set<number>()
    const look = (text: string | undefined) => {
      if (text === undefined || found.size === this.#leaves.length) return
      for (const secret of this.#scrubber.secretsIn(text, search)) found.add(secret)
    }
    const leaf = (leaf: Leaf) => {
      look(searchedText(leaf))
      return leaf
    }
    const key = (key: string) => {
      look(key)
      return key
    }
    yield* mapInParts(value, { leaf, key, prepare: this.#prepare(search) })
    return [...found].flatMap((secret) => this.#repeated(secret))
  }

  #repeated(secret: number): RepeatedSecret[] {
    const { text } = this.#leaves[secret] as SecretLeaf
    return this.#places.find(this.#placeholderOf(secret)).map((place) => ({ ...place, isGuessable: isGuessable(text) }))
  }

  /** `search` is shared by all texts of a value. */
  scrubText(text: string, search?: ValueSearch): string {
    return this.#scrubber.scrub(text, search)
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
  *scrub<Value>(value: Value, kept?: Kept): Generator<void, Value> {
    const search = newSearch()
    const leaf = (leaf: Leaf) => this.#scrubLeaf(leaf, search)
    const scrubbed = yield* mapInParts(value, this.#change(leaf, search), kept)
    return (scrubbed === gone ? mask : scrubbed) as Value
  }

  /** Masks the secrets in a leaf; returns the leaf itself when it contains none. */
  maskLeaf(leaf: Leaf, search?: ValueSearch): Leaf {
    const text = searchedText(leaf)
    if (text !== undefined && this.#leafOf.has(text)) return mask
    const scrubbed = text === undefined ? text : this.scrubText(text, search)
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
  hide(value: unknown): Generator<void, unknown> {
    return this.#hide(value, (_, secret) => (secret === undefined ? mask : this.#placeholderOf(secret)))
  }

  /** For a plan, which is stored with `hidden`, so nothing is lost. Templates and `names` stay unchanged. */
  hideInPlan(plan: unknown, names: Kept): Generator<void, unknown> {
    const search = newSearch()
    const stepIds = stepIdsOf(plan)
    const hide = (leaf: Leaf) => this.#hideLeaf(leaf, this.#hidePart, search)
    const leaf = (leaf: Leaf) =>
      typeof leaf === 'string' && leaf.includes('{{')
        ? mapTextBetween(leaf, stepIds, (text) => String(hide(text)))
        : hide(leaf)
    return mapInParts(plan, { leaf, key: (key) => key, prepare: this.#prepare(search) }, names)
  }

  /**
   * Leaves other runs' placeholders, and those of secrets that `mayFill` refuses, unchanged. A text that is exactly one
   * placeholder becomes its JSON value.
   */
  fill(value: unknown, mayFill: (secret: Secret) => boolean = () => true): unknown {
    if (this.#withoutPlaceholders.has(value as object)) return value
    let [hasPlaceholders, left] = [false, maxFilledLength]
    const hasRoom = (secret: Secret) => {
      if (left < 0 || !mayFill(secret)) return false
      left -= textOf(secret.value).length
      return left >= 0
    }
    const leaf = (leaf: Leaf) => {
      if (typeof leaf !== 'string' || !leaf.includes(placeholderStart)) return leaf
      hasPlaceholders = true
      return this.#fillText(leaf, hasRoom)
    }
    const filled = mapLeaves(value, { leaf, key: (key) => key })
    if (typeof value !== 'object' || value === null) return filled
    if (!hasPlaceholders) this.#withoutPlaceholders.add(value)
    if (left < 0) this.#overfilled.add(value)
    else this.#overfilled.delete(value)
    return filled
  }

  /** Whether the last `fill` has left placeholders in the value because of its limit. */
  isOverfilled(value: unknown): boolean {
    return this.#overfilled.has(value as object)
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

  *show<Value>(value: Value): Generator<void, Value> {
    const known = this.#shownInputs.get(value as object)
    if (known !== undefined) return known as Value
    const search = newSearch()
    const leaf = (leaf: Leaf) => {
      const masked = typeof leaf === 'string' ? this.#maskOwn(leaf) : leaf
      return masked === gone ? gone : this.#scrubLeaf(masked, search)
    }
    const prepare = (text: string) => this.#scrubber.searchInParts(String(this.#maskOwn(text)), search)
    const mapped = yield* mapInParts(value, { ...this.#change(leaf, search), prepare })
    const shown = mapped === gone ? mask : mapped
    if (typeof value === 'object' && value !== null) this.#shownInputs.set(value, shown)
    return shown as Value
  }

  /** The placeholder for a template's path; undefined when its value is not a secret or part of one. */
  placeholderAt(root: 'input' | 'metadata', path: readonly string[]): string | undefined {
    return this.#places.placeholderAt(root, path)
  }

  /** Of a value whose keys are scrubbed. */
  #change(leaf: (leaf: Leaf) => unknown, search: ValueSearch) {
    return { leaf, key: (key: string) => this.scrubText(key, search), prepare: this.#prepare(search) }
  }

  /** Long texts are searched in parts. */
  readonly #prepare = (search: ValueSearch) => (text: string) => this.#scrubber.searchInParts(text, search)

  #scrubLeaf(leaf: Leaf, search: ValueSearch): unknown {
    const text = searchedText(leaf)
    const secret = text === undefined ? undefined : this.#leafOf.get(text)
    const isDropped = secret !== undefined && this.#leaves[secret]?.redaction === 'drop'
    return isDropped ? gone : this.maskLeaf(leaf, search)
  }

  #hide(value: unknown, hidePart: HidePart): Generator<void, unknown> {
    const search = newSearch()
    return mapInParts(
      value,
      this.#change((leaf) => this.#hideLeaf(leaf, hidePart, search), search),
    )
  }

  #hideLeaf(leaf: Leaf, hidePart: HidePart, search: ValueSearch): Leaf {
    const text = searchedText(leaf)
    if (text === undefined) return leaf
    const whole = this.#leafOf.get(text)
    if (whole !== undefined) return this.#placeholderOf(whole)
    const replacement = ({ start, end, secret, inOtherCase }: Span) =>
      secret === undefined || inOtherCase ? hidePart(text.slice(start, end), secret) : this.#placeholderOf(secret)
    const hidden = this.#scrubber.replace(text, replacement, search)
    return hidden === text ? leaf : hidden
  }

  #placeholderOf(secret: number): string {
    this.#placeholders[secret] ??= placeholderFor((this.#leaves[secret] as SecretLeaf).location)
    return this.#placeholders[secret]
  }

  readonly #hidePart: HidePart = (text) => this.#places.hidePart(text)

  #fillText(text: string, mayFill: (secret: Secret) => boolean): unknown {
    const replacement = (secret: Secret, placeholder: string) =>
      mayFill(secret) ? { whole: secret.value, part: textOf(secret.value) } : { whole: text, part: placeholder }
    return this.#replaceOwn(text, replacement)
  }

  #maskOwn(text: string): string | typeof gone {
    return this.#replaceOwn(text, ({ redaction }) => ({ whole: redaction === 'drop' ? gone : mask, part: mask }))
  }

  #replaceOwn<Whole>(
    text: string,
    replacement: (secret: Secret, placeholder: string) => { whole: Whole; part: string },
  ): Whole | string {
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
