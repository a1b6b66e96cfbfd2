// Makes what a tool returned into JSON that can be journaled, or says why it cannot.
import { maxJsonDepth } from '@runwright/contract'
import { showLocation } from '../../domain/json/location.ts'
import { storableText } from '../../domain/text.ts'

export const maxOutputBytes = 1024 * 1024

export type StorableOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/**
 * A copy that reads back from the database as it is: undefined becomes null, U+0000 and lone surrogates become U+FFFD,
 * and what has a `toJSON` (a date, a URL) what that returns. Everything else that JSON would lose in silence is refused.
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
    super(`its output is too large: more than ${maxOutputBytes} bytes of JSON`)
  }
}

class OutputReader {
  readonly #holders: object[] = []
  readonly #location: (string | number)[] = ['output']
  /** Never more than the JSON will have. Counted on the way, so that reading ends soon even if the output does not. */
  #bytes = 0

  read(value: unknown): unknown {
    this.#count(1)
    const plain = unwrap(value)
    if (plain === undefined || plain === null) return null
    if (typeof plain === 'string') return this.#readText(plain)
    if (typeof plain === 'boolean') return plain
    if (typeof plain === 'number') return this.#readNumber(plain)
    if (typeof plain === 'object') return this.#readHolder(plain)
    return this.#refuseType(typeof plain)
  }

  #readText(text: string): string {
    this.#count(text.length)
    return storableText(text)
  }

  #readNumber(value: number): number {
    if (!Number.isFinite(value)) this.#refuse('is not a finite number')
    // JSON has no negative zero.
    return value === 0 ? 0 : value
  }

  #readHolder(value: object): unknown {
    if (this.#holders.includes(value)) this.#refuse('contains itself')
    if (this.#holders.length >= maxJsonDepth) this.#refuse(`nests too deep: at most ${maxJsonDepth} levels`)
    this.#holders.push(value)
    const read = Array.isArray(value) ? this.#readArray(value) : this.#readObject(value)
    this.#holders.pop()
    return read
  }

  #readObject(value: object): unknown {
    // Of a Map, a Headers or an Error JSON would make `{}`.
    const type = Object.prototype.toString.call(value).slice('[object '.length, -1)
    if (type !== 'Object') this.#refuseType(type)
    return Object.fromEntries(Object.keys(value).map((key) => this.#readMember(value, key)))
  }

  /** By index: holes are null too, as JSON has it. */
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

  #refuseType(type: string): never {
    this.#refuse(`is of type ${type}, which is not JSON`)
  }

  #refuse(problem: string): never {
    throw new NotStorable(`${showLocation(this.#location)} ${problem}`)
  }
}

/** Once, as JSON does it. Binary data is refused as what it is, although a Buffer has a `toJSON`. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value
}
