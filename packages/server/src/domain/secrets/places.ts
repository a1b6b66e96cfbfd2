// Where the secrets of a run are, and what its placeholders stand for: a tagged value, a part of one, or a part of an
// untagged text that contains a secret.
import type { JsonLocation, Redaction } from '@runwright/contract'
import { LocationTree } from './location-tree.ts'
import { findPlaceholders, type Placeholder, parseLocation, placeholderFor } from './placeholder.ts'
import { formatTagPath } from './tag-path.ts'
import type { TaggableDocument, TaggedLocation } from './tagged-locations.ts'

export interface Secret {
  /** The JSONPath of the tagged value that it is or belongs to, or of the hidden part of a text. */
  readonly source: string
  readonly value: unknown
  readonly redaction: Redaction
  /** Who may receive it from a model without approval, as in `allow` of a tag. */
  readonly allow: readonly string[]
}

/** A placeholder in a text, and what it stands for. */
type KnownPlaceholder = Placeholder & Secret

/** Limits how many different paths from untrusted text are parsed; no run needs more. */
const maxParsedPaths = 10_000

export class SecretPlaces {
  /** Parts of texts, indexed by the number in their placeholder. */
  readonly hidden: string[]
  readonly #document: TaggableDocument
  readonly #tree = new LocationTree<TaggedLocation>()
  readonly #secretByPath = new Map<string, Secret | undefined>()
  readonly #hiddenAt: Map<string, number>

  constructor(document: TaggableDocument, locations: readonly TaggedLocation[], hidden: readonly string[]) {
    this.#document = document
    this.hidden = [...hidden]
    this.#hiddenAt = new Map(hidden.map((text, at) => [text, at]))
    for (const secret of locations) this.#tree.ensure(secret.location).value = secret
  }

  /** The placeholders in a text that stand for a secret of this run. */
  find(text: string): KnownPlaceholder[] {
    const found: KnownPlaceholder[] = []
    for (const { start, end, path } of findPlaceholders(text)) {
      const secret = this.#lookUp(path)
      if (!secret) continue
      const { source, value, redaction, allow } = secret
      found.push({ start, end, path, source, value, redaction, allow })
    }
    return found
  }

  /** The placeholder for a template's path; undefined when its value is not a secret or part of one. */
  placeholderAt(root: 'input' | 'metadata', path: readonly string[]): string | undefined {
    const location: (string | number)[] = []
    let value: unknown = this.#document
    for (const name of [root, ...path]) {
      const part = Array.isArray(value) && arrayIndex.test(name) ? Number(name) : name
      location.push(part)
      value = memberOf(value, part)
    }
    return value !== undefined && this.#taggedAt(location) ? placeholderFor(location) : undefined
  }

  /** Keeps a part of a text in `hidden` and returns its placeholder. */
  hidePart(text: string): string {
    let at = this.#hiddenAt.get(text)
    if (at === undefined) {
      at = this.hidden.push(text) - 1
      this.#hiddenAt.set(text, at)
      // The new placeholder may have been looked up before it existed.
      this.#secretByPath.clear()
    }
    return placeholderFor(['hidden', at])
  }

  #lookUp(path: string): Secret | undefined {
    if (this.#secretByPath.has(path) || this.#secretByPath.size >= maxParsedPaths) return this.#secretByPath.get(path)
    const secret = this.#secretAt(parseLocation(path) ?? [])
    this.#secretByPath.set(path, secret)
    return secret
  }

  #secretAt(location: JsonLocation): Secret | undefined {
    const [root, number] = location
    if (root === 'hidden' && location.length === 2) {
      const text = this.hidden[number as number]
      const source = formatTagPath(location)
      return text === undefined ? undefined : { source, value: text, redaction: 'mask', allow: [] }
    }
    const tagged = this.#taggedAt(location)
    const value = tagged && location.reduce(memberOf, this.#document as unknown)
    if (tagged === undefined || value === undefined) return undefined
    return { source: tagged.path, value, redaction: tagged.redaction, allow: tagged.allow }
  }

  /** The tagged location that is or contains `location`. */
  #taggedAt(location: JsonLocation): TaggedLocation | undefined {
    let tree: LocationTree<TaggedLocation> | undefined = this.#tree
    for (const part of location) {
      tree = tree?.children.get(part)
      if (tree?.value) return tree.value
    }
    return undefined
  }
}

const arrayIndex = /^(?:0|[1-9]\d*)$/

/** Own members only, and of an array only its elements: neither `length` nor anything from a prototype. */
function memberOf(holder: unknown, part: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, part)) return undefined
  return Array.isArray(holder) === (typeof part === 'number')
    ? (holder as Record<string | number, unknown>)[part]
    : undefined
}
