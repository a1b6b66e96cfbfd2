// Converts the output of a tool into JSON that can be stored, or says why that is not possible.
import { maxJsonDepth, showLocation } from '@runwright/contract'
import { finish } from '../../domain/finish.ts'
import type { JsonLimits } from '../../domain/json/scan-json.ts'
import { setMember } from '../../domain/json/set-member.ts'
import { storableText } from '../../domain/text.ts'

export const maxOutputBytes = 1024 * 1024
/** Of keys and values together. Each of the many steps from a result to the log takes a while for each of them. */
export const maxOutputParts = 100_000

/** For JSON text that becomes a part of an output. */
export const outputLimits: JsonLimits = { maxDepth: maxJsonDepth, maxParts: maxOutputParts }

type StorableOutput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/**
 * Returns a copy that the database stores without change: undefined becomes null, U+0000 and lone surrogates become
 * U+FFFD, and `toJSON` is applied (a date, a URL). Anything else that JSON would silently drop or change is an error.
 */
export const makeStorable = (output: unknown): StorableOutput => finish(storableInParts(output))

/** As `makeStorable`. Yields where the work can be interrupted. */
export function* storableInParts(output: unknown): Generator<void, StorableOutput> {
  try {
    const value = yield* new OutputReader().read(output)
    yield
    if (Buffer.byteLength(JSON.stringify(value)) > maxOutputBytes) throw new TooLarge()
    return { ok: true, value }
  } catch (error) {
    if (error instanceof NotStorable) return { ok: false, problem: error.message }
    return { ok: false, problem: 'its output could not be read' }
  }
}

/** How many keys and values are read before the work can be interrupted. */
const partsAtOnce = 2_000

class NotStorable extends Error {}

class TooLarge extends NotStorable {
  constructor() {
    super(`its output is larger than ${maxOutputBytes} bytes of JSON`)
  }
}

class TooManyParts extends NotStorable {
  constructor() {
    super(`its output has more than ${maxOutputParts} keys and values`)
  }
}

class OutputReader {
  /** The objects and arrays around the current value. */
  readonly #ancestors: object[] = []
  readonly #location: (string | number)[] = ['output']
  /** A lower bound of the JSON's size, so that an endless output is rejected early. */
  #bytes = 0
  #parts = 0
  #nextPause = partsAtOnce

  #begin(value: unknown): unknown {
    this.#countPart()
    return unwrap(value)
  }

  /** Yields where the work can be interrupted. */
  *read(value: unknown): Generator<void, unknown> {
    const plain = this.#begin(value)
    return isContainer(plain) ? yield* this.#readContainer(plain) : this.#readLeaf(plain)
  }

  #readLeaf(leaf: unknown): unknown {
    if (leaf === undefined || leaf === null) return null
    if (typeof leaf === 'string') return this.#readText(leaf)
    if (typeof leaf === 'boolean') return leaf
    if (typeof leaf === 'number') return this.#readNumber(leaf)
    return this.#rejectType(typeof leaf)
  }

  #readText(text: string): string {
    this.#count(text.length)
    return storableText(text)
  }

  #readNumber(value: number): number {
    if (!Number.isFinite(value)) this.#reject('is not a finite number')
    // JSON has no negative zero.
    return value === 0 ? 0 : value
  }

  *#readContainer(value: object): Generator<void, unknown> {
    if (this.#ancestors.includes(value)) this.#reject('contains itself')
    if (this.#ancestors.length >= maxJsonDepth) {
      this.#reject(`nests too deeply: at most ${maxJsonDepth} levels are allowed`)
    }
    this.#ancestors.push(value)
    const read = Array.isArray(value) ? yield* this.#readArray(value) : yield* this.#readObject(value)
    this.#ancestors.pop()
    return read
  }

  *#readObject(value: object): Generator<void, unknown> {
    // JSON would turn a Map, a Headers or an Error into `{}`.
    const type = Object.prototype.toString.call(value).slice('[object '.length, -1)
    if (type !== 'Object') this.#rejectType(type)
    const read: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      this.#location.push(key)
      this.#countPart()
      const name = this.#readText(key)
      const plain = this.#begin((value as Record<string, unknown>)[key])
      setMember(read, name, isContainer(plain) ? yield* this.#readContainer(plain) : this.#readLeaf(plain))
      this.#location.pop()
      if (this.#isPartOver()) yield
    }
    return read
  }

  /** By index, so that holes become null, as in `JSON.stringify`. A generator for each leaf would take long. */
  *#readArray(items: readonly unknown[]): Generator<void, unknown[]> {
    const read: unknown[] = []
    for (let index = 0; index < items.length; index += 1) {
      this.#location.push(index)
      const plain = this.#begin(items[index])
      read.push(isContainer(plain) ? yield* this.#readContainer(plain) : this.#readLeaf(plain))
      this.#location.pop()
      if (this.#isPartOver()) yield
    }
    return read
  }

  #isPartOver(): boolean {
    if (this.#parts < this.#nextPause) return false
    this.#nextPause = this.#parts + partsAtOnce
    return true
  }

  #countPart(): void {
    this.#count(1)
    this.#parts += 1
    if (this.#parts > maxOutputParts) throw new TooManyParts()
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > maxOutputBytes) throw new TooLarge()
  }

  #rejectType(type: string): never {
    this.#reject(`is of type ${type}, which is not JSON`)
  }

  #reject(problem: string): never {
    throw new NotStorable(`${showLocation(this.#location)} ${problem}`)
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Applies `toJSON` once, as `JSON.stringify` does, but not to binary data: that is rejected, although Buffer has one.
 */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value
}
