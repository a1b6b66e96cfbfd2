// Where the secrets of a run are, and what its placeholders stand for: a tagged place, a part of what is tagged, or a part of
// an untagged text that had to be hidden.
import type { Redaction } from '@runwright/contract'
import type { JsonLocation } from '../json/location.ts'
import { PlaceTree } from './place-tree.ts'
import { findPlaceholders, type Placeholder, placeholderFor, readPlace } from './placeholder.ts'
import type { TaggableDocument, TaggedLocation } from './tagged-locations.ts'

export interface Secret {
  readonly value: unknown
  readonly redaction: Redaction
}

/** A placeholder in a text, and what it stands for. */
export type KnownPlaceholder = Placeholder & Secret

/** Paths in texts from anywhere have to be parsed; nobody needs more different ones. */
const maxRead = 10_000

export class SecretPlaces {
  /** Parts of texts, by the number in their placeholder. */
  readonly hidden: string[]
  readonly #document: TaggableDocument
  readonly #tree = new PlaceTree<TaggedLocation>()
  readonly #read = new Map<string, Secret | undefined>()

  constructor(document: TaggableDocument, locations: readonly TaggedLocation[], hidden: readonly string[]) {
    this.#document = document
    this.hidden = [...hidden]
    for (const secret of locations) this.#tree.grow(secret.location).note = secret
  }

  /** The placeholders in a text that stand for something of this run. */
  find(text: string): KnownPlaceholder[] {
    return findPlaceholders(text).flatMap((placeholder) => {
      const secret = this.#lookUp(placeholder.path)
      return secret ? [{ ...placeholder, ...secret }] : []
    })
  }

  /** The placeholder for a template's path, when what it names is secret or part of a secret. */
  placeholderAt(root: 'input' | 'metadata', path: readonly string[]): string | undefined {
    const location: (string | number)[] = []
    let value: unknown = this.#document
    for (const name of [root, ...path]) {
      const part = Array.isArray(value) && arrayIndex.test(name) ? Number(name) : name
      location.push(part)
      value = memberOf(value, part)
    }
    return value !== undefined && this.#coverOf(location) ? placeholderFor(location) : undefined
  }

  /** A placeholder for a part of a text. */
  hidePart(text: string): string {
    const known = this.hidden.indexOf(text)
    const placeholder = placeholderFor(['hidden', known < 0 ? this.hidden.push(text) - 1 : known])
    // It may have been asked for when it stood for nothing.
    if (known < 0) this.#read.clear()
    return placeholder
  }

  #lookUp(path: string): Secret | undefined {
    if (this.#read.has(path) || this.#read.size >= maxRead) return this.#read.get(path)
    const secret = this.#secretAt(readPlace(path) ?? [])
    this.#read.set(path, secret)
    return secret
  }

  #secretAt(location: JsonLocation): Secret | undefined {
    const [root, number] = location
    if (root === 'hidden' && location.length === 2) {
      const text = this.hidden[number as number]
      return text === undefined ? undefined : { value: text, redaction: 'mask' }
    }
    const cover = this.#coverOf(location)
    const value = cover && location.reduce(memberOf, this.#document as unknown)
    return cover && value !== undefined ? { value, redaction: cover.redaction } : undefined
  }

  /** The tagged place at or above a place. */
  #coverOf(location: JsonLocation): TaggedLocation | undefined {
    let tree: PlaceTree<TaggedLocation> | undefined = this.#tree
    for (const part of location) {
      tree = tree?.branches.get(part)
      if (tree?.note) return tree.note
    }
    return undefined
  }
}

const arrayIndex = /^(?:0|[1-9]\d*)$/

/** Only what the JSON itself holds: of an array nothing but its elements. */
function memberOf(holder: unknown, part: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, part)) return undefined
  return Array.isArray(holder) === (typeof part === 'number')
    ? (holder as Record<string | number, unknown>)[part]
    : undefined
}
