// Secrets of the operator, such as keys and passwords, that are removed from any text in all their forms.
import { mapInParts } from '../json/map-leaves.ts'
import { newSearch, Scrubber } from './scrubber.ts'

/** A shorter text is part of ordinary words. */
const minLength = 8

export class SecretTexts {
  readonly isEmpty: boolean
  readonly #scrubber: Scrubber

  /** Short texts are left out. */
  constructor(texts: Iterable<string>) {
    const secrets = [...new Set(texts)].filter((text) => text.length >= minLength)
    this.isEmpty = secrets.length === 0
    this.#scrubber = new Scrubber(secrets, () => [])
  }

  readonly scrub = (text: string): string => (this.isEmpty ? text : this.#scrubber.scrub(text))

  /** The texts and keys of a JSON value. Yields where the work can be interrupted. */
  scrubValue(value: unknown): Generator<void, unknown> {
    const scrub = (text: string) => this.#scrubber.scrub(text, search)
    const search = newSearch()
    return mapInParts(value, {
      leaf: (leaf) => (typeof leaf === 'string' ? scrub(leaf) : leaf),
      key: scrub,
      prepare: (text) => this.#scrubber.searchInParts(text, search),
    })
  }
}
