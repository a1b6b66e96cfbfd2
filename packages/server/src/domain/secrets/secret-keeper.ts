// Keeps the secrets of one run: hides them behind placeholders from models and plans, gives them to tools, and takes
// them out of whatever comes back.
//
//   hide   a secret that stands somewhere as it is  → its placeholder   what models and plans get to see
//   fill   a placeholder of this run                → the value         what a tool is called with
//   show   a placeholder of this run                → "***", or gone    what a person may see of a tool's input
//   scrub  a secret in any form                     → "***", or gone    everything that leaves the run
//
// Parts of untagged texts that show a secret in another form than its own (the base64 in a header) have no place that a
// placeholder could name. They are kept in a list beside the document, as `$.hidden[0]`, `$.hidden[1]` …
import type { SensitivityTag } from '@runwright/contract'
import { gone, type Kept, type Leaf, mapLeaves } from '../json/map-leaves.ts'
import { type SecretLeaf, searchedLeaves, searchedText } from './leaves.ts'
import { findUnfinishedPlaceholder, placeholderFor } from './placeholder.ts'
import { type Secret, SecretPlaces } from './places.ts'
import { mask, replaceTagged } from './replace-tagged.ts'
import { Scrubber } from './scrubber.ts'
import { type TaggableDocument, type TaggedLocation, taggedLocations } from './tagged-locations.ts'

/** What becomes of a part that shows a secret in another form than its own. */
type HidePart = (text: string) => string

interface KeeperOptions {
  readonly document: TaggableDocument
  readonly locations: readonly TaggedLocation[]
  /** Parts of texts that were hidden before, under the same numbers again. */
  readonly hidden?: readonly string[] | undefined
}

export class SecretKeeper {
  readonly locations: readonly TaggedLocation[]
  readonly #document: TaggableDocument
  readonly #places: SecretPlaces
  readonly #leaves: readonly SecretLeaf[]
  readonly #dropped: ReadonlySet<string>
  readonly #scrubber: Scrubber
  #shown: TaggableDocument | undefined

  constructor({ document, locations, hidden = [] }: KeeperOptions) {
    this.locations = locations
    this.#document = document
    this.#places = new SecretPlaces(document, locations, hidden)
    this.#leaves = searchedLeaves(locations)
    this.#dropped = new Set(this.#leaves.filter(({ redaction }) => redaction === 'drop').map(({ text }) => text))
    this.#scrubber = new Scrubber(
      this.#leaves.map(({ text }) => text),
      (text) => this.#places.find(text),
    )
  }

  /** Undefined when nothing in the document is secret. */
  static find(
    document: TaggableDocument,
    tags: readonly SensitivityTag[] | undefined,
    hidden?: readonly string[],
  ): SecretKeeper | undefined {
    const locations = taggedLocations(document, tags)
    return locations.length === 0 ? undefined : new SecretKeeper({ document, locations, hidden })
  }

  /** Parts of texts that had to be hidden so far. */
  get hidden(): readonly string[] {
    return this.#places.hidden
  }

  /** The document as models and templates see it: a placeholder in every secret place. */
  get shown(): TaggableDocument {
    this.#shown ??= this.#hide(
      replaceTagged(this.#document, this.locations, ({ location }) => placeholderFor(location)),
      this.#hidePart,
    ) as TaggableDocument
    return this.#shown
  }

  scrubText(text: string): string {
    return this.#scrubber.scrub(text)
  }

  /** For a text that was cut, and says so with an ellipsis: what is left of a secret at its end is hidden too. */
  scrubCut(text: string): string {
    const scrubbed = this.scrubText(text)
    if (!scrubbed.endsWith('…')) return scrubbed
    const whole = scrubbed.slice(0, -1)
    const safe = this.#scrubber.safeLength(whole)
    return whole.length - safe < 4 ? scrubbed : `${whole.slice(0, safe)}${mask}…`
  }

  /** The value itself when nothing in it is secret. */
  scrub(value: unknown, kept?: Kept): unknown {
    const scrubbed = mapLeaves(
      value,
      { leaf: (leaf) => this.#scrubLeaf(leaf), key: (key) => this.scrubText(key) },
      kept,
    )
    return scrubbed === gone ? mask : scrubbed
  }

  /** A leaf in which a secret stands, masked; itself when none does. */
  maskLeaf(leaf: Leaf): Leaf {
    const text = searchedText(leaf)
    const scrubbed = text === undefined ? text : this.scrubText(text)
    if (scrubbed === text) return leaf
    return typeof leaf === 'string' ? (scrubbed as string) : mask
  }

  /** How much of the beginning of a text can be shown before its continuation is known. */
  safeLength(text: string): number {
    return Math.min(this.#scrubber.safeLength(text), findUnfinishedPlaceholder(text))
  }

  /** What shows a secret in another form than its own is masked: this is for values that nothing is kept beside. */
  hide(value: unknown): unknown {
    return this.#hide(value, () => mask)
  }

  /** For a plan, which is stored together with `hidden`: nothing gets lost. Templates and names stay as they are. */
  hideInPlan(plan: unknown, names: Kept): unknown {
    const leaf = (leaf: Leaf) => {
      if (typeof leaf !== 'string' || !leaf.includes('{{')) return this.#hideLeaf(leaf, this.#hidePart)
      const parts = leaf.split(/(\{\{[\s\S]*?\}\})/)
      return parts.map((part, n) => (n % 2 === 1 ? part : this.#hideLeaf(part, this.#hidePart))).join('')
    }
    return mapLeaves(plan, { leaf, key: (key) => key }, names)
  }

  /** Placeholders that are none of this run stay as they are. A text that is one placeholder becomes its JSON value. */
  fill(value: unknown): unknown {
    const leaf = (leaf: Leaf) => (typeof leaf === 'string' ? this.#fillText(leaf) : leaf)
    return mapLeaves(value, { leaf, key: (key) => key })
  }

  show(value: unknown): unknown {
    const leaf = (leaf: Leaf) => (typeof leaf === 'string' ? this.#showText(leaf) : this.#scrubLeaf(leaf))
    const shown = mapLeaves(value, { leaf, key: (key) => this.scrubText(key) })
    return shown === gone ? mask : shown
  }

  /** The placeholder for a template's path, when what it names is secret or part of a secret. */
  placeholderAt(root: 'input' | 'metadata', path: readonly string[]): string | undefined {
    return this.#places.placeholderAt(root, path)
  }

  #scrubLeaf(leaf: Leaf): unknown {
    const text = searchedText(leaf)
    return text !== undefined && this.#dropped.has(text) ? gone : this.maskLeaf(leaf)
  }

  #hide(value: unknown, hidePart: HidePart): unknown {
    return mapLeaves(value, { leaf: (leaf) => this.#hideLeaf(leaf, hidePart), key: (key) => this.scrubText(key) })
  }

  #hideLeaf(leaf: Leaf, hidePart: HidePart): Leaf {
    const text = searchedText(leaf)
    if (text === undefined) return leaf
    const hidden = this.#scrubber.replace(text, ({ start, end, secret }) =>
      secret === undefined ? hidePart(text.slice(start, end)) : this.#placeholderOf(secret),
    )
    return hidden === text ? leaf : hidden
  }

  #placeholderOf(secret: number): string {
    return placeholderFor((this.#leaves[secret] as SecretLeaf).location)
  }

  readonly #hidePart: HidePart = (text) => this.#places.hidePart(text)

  #fillText(text: string): unknown {
    return this.#replaceOwn(text, ({ value }) => ({ whole: value, part: textOf(value) }))
  }

  #showText(text: string): unknown {
    const shown = this.#replaceOwn(text, ({ redaction }) => ({ whole: redaction === 'drop' ? gone : mask, part: mask }))
    return typeof shown === 'string' ? this.#scrubLeaf(shown) : shown
  }

  #replaceOwn(text: string, replacement: (secret: Secret) => { whole: unknown; part: string }): unknown {
    let [replaced, at] = ['', 0]
    for (const placeholder of this.#places.find(text)) {
      const { whole, part } = replacement(placeholder)
      if (placeholder.end - placeholder.start === text.length) return whole
      replaced += text.slice(at, placeholder.start) + part
      at = placeholder.end
    }
    return replaced + text.slice(at)
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
