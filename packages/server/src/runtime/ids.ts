// Ids: a UUIDv7 in the database, a prefix and 26 characters of base32 on the wire. Both sort by time.
import { randomUUID } from 'node:crypto'

export type IdPrefix = 'run' | 'key' | 'mem' | 'req' | 'call' | 'task'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Ten bits as two characters. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >>> 5]}${alphabet[bits & 31]}`)
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

let lastMs = 0
let counter = 0

/**
 * A UUIDv7: milliseconds, a counter within them, and randomness from Node's pool of UUIDs. Those of one process sort in the
 * order they were made; a clock that jumps back, or more than 4,096 in a millisecond, makes it run ahead instead.
 */
export function newUuid(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else if (counter < 0xfff) counter += 1
  else {
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const order = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${randomUUID().slice(19)}`
}

export const newWireId = (prefix: IdPrefix): string => toWireId(prefix, newUuid())

/** `run_01h…` for a UUID: 128 bits behind two zero bits, five to a character. */
export function toWireId(prefix: IdPrefix, uuid: string): string {
  const hex =
    uuid.length === 36
      ? uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
      : uuid
  // 128 bits are 3 + 25 × 5: the first hexadecimal digits give the first two characters, then five digits give four.
  const head = Number.parseInt(hex.slice(0, 2), 16)
  let text = `${prefix}_${alphabet[head >>> 5]}${alphabet[head & 31]}`
  for (let at = 2; at < 32; at += 5) {
    const twentyBits = Number.parseInt(hex.slice(at, at + 5), 16)
    text += (pairs[twentyBits >>> 10] as string) + (pairs[twentyBits & 1023] as string)
  }
  return text
}

/** The UUID behind an id on the wire; undefined when it is no id with that prefix. */
export function fromWireId(prefix: IdPrefix, id: string): string | undefined {
  if (!id.startsWith(`${prefix}_`)) return undefined
  const suffix = id.slice(prefix.length + 1)
  if (!suffixPattern.test(suffix)) return undefined
  const bytes: number[] = []
  let bits = -2
  let pending = 0
  for (const character of suffix) {
    pending = (pending << 5) | alphabet.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((pending >>> bits) & 255)
    pending &= (1 << bits) - 1
  }
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
