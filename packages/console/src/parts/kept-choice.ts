// One choice of a person that this browser keeps. All parts of the page that show it learn of a change.
import { useSyncExternalStore } from 'react'
import { keepInBrowser, readKept } from './kept-in-browser.ts'

export class KeptChoice<Value extends string> {
  readonly #name: string
  readonly #usual: Value
  readonly #listeners = new Set<() => void>()
  #value: Value

  /** The first of the values is the usual one, which is not stored. */
  constructor(name: string, values: readonly [Value, ...Value[]]) {
    this.#name = name
    this.#usual = values[0]
    const kept = readKept(name)
    this.#value = values.find((value) => value === kept) ?? this.#usual
  }

  readonly get = (): Value => this.#value

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly choose = (value: Value): void => {
    this.#value = value
    keepInBrowser(this.#name, value === this.#usual ? null : value)
    for (const listener of this.#listeners) listener()
  }
}

export const useKeptChoice = <Value extends string>(choice: KeptChoice<Value>): Value =>
  useSyncExternalStore(choice.subscribe, choice.get)
