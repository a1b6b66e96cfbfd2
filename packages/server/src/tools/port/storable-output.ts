// Converts the output of a tool into JSON that can be stored, or says why that is not possible.
import { maxJsonDepth } from '@runwright/contract'
import { showLocation } from '../../domain/json/location.ts'
import { storableText } from '../../domain/text.ts'

export const maxOutputBytes = 1024 * 1024

type StorableOutput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/**
 * Returns a copy that the database stores without change: undefined becomes null, U+0000 and lone surrogates become
 * U+FFFD, and `toJSON` is applied (a date, a URL). Anything else that JSON would silently drop or change is an error.
 */
export function makeStorable(output: unknown): StorableOutput {
  try {
    const value = new OutputReader().read(output)
    if (Buffer.byteLength(JSON.stringify(value)) > maxOutputBytes) throw new TooLarge()
    return { ok: true, value }
  } catch (error) {
    if (error instanceof NotStorable) return { ok: false, problem: error.message }
    return { ok: false, problem: 'its output could not be read' }
  }
}

class NotStorable extends Error {}

class TooLarge extends NotStorable {
  constructor() {
    super(`its output is larger than ${maxOutputBytes} bytes of JSON`)
  }
}

class OutputReader {
  /** The objects and arrays around the current value. */
  readonly #ancestors: object[] = []
  readonly #location: (string | number)[] = ['output']
  /** A lower bound of the JSON's size, so that an endless output is rejected early. */
  #bytes = 0

  read(value: unknown): unknown {
    this.#count(1)
    const plain = unwrap(value)
    if (plain === undefined || plain === null) return null
    if (typeof plain === 'string') return this.#readText(plain)
    if (typeof plain === 'boolean') return plain
    if (typeof plain === 'number') return this.#readNumber(plain)
    if (typeof plain === 'object') return this.#readContainer(plain)
    return this.#rejectType(typeof plain)
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

  #readContainer(value: object): unknown {
    if (this.#ancestors.includes(value)) this.#reject('contains itself')
    if (this.#ancestors.length >= maxJsonDepth) {
      this.#reject(`nests too deeply: at most ${maxJsonDepth} levels are allowed`)
    }
    this.#ancestors.push(value)
    const read = Array.isArray(value) ? this.#readArray(value) : this.#readObject(value)
    this.#ancestors.pop()
    return read
  }

  #readObject(value: object): unknown {
    // JSON would turn a Map, a Headers or an Error into `{}`.
    const type = Object.prototype.toString.call(value).slice('[object '.length, -1)
    if (type !== 'Object') this.#rejectType(type)
    return Object.fromEntries(Object.keys(value).map((key) => this.#readMember(value, key)))
  }

  /** By index, so that holes become null, as in `JSON.stringify`. */
  #readArray(items: readonly unknown[]): unknown[] {
    const read: unknown[] = []
    for (let index = 0; index < items.length; index += 1) {
      this.#location.push(index)
      read.push(this.read(items[index]))
      this.#location.pop()
    }
    return read
  }

  #readMember(holder: object, key: string): [string, unknown] {
    this.#location.push(key)
    const member: [string, unknown] = [this.#readText(key), this.read((holder as Record<string, unknown>)[key])]
    this.#location.pop()
    return member
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

/**
 * Applies `toJSON` once, as `JSON.stringify` does, but not to binary data: that is rejected, although Buffer has one.
 */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value
}
