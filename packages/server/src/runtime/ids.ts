// Ids: a UUIDv7 in the database, a prefix and 26 base32 characters on the wire. Both sort by time.
import { randomFillSync } from 'node:crypto'

export type IdPrefix = 'run' | 'key' | 'mem' | 'req' | 'call' | 'task' | 'hook' | 'sched'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** The two characters for each value of ten bits. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >>> 5]}${alphabet[bits & 31]}`)
const suffixPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

let lastMs = 0
let counter = 0
/** The current millisecond as the start of a UUID and of a wire id. */
let uuidTime = ''
let wireTime = ''

/**
 * A UUIDv7: milliseconds, a counter within the millisecond, and random bits from a pool. The ids of one process sort in
 * creation order. If the clock goes back, or after 4,096 ids in a millisecond, the time part runs ahead of the clock.
 */
export function newUuid(): string {
  tick()
  const variant = hex2[(randomByte() & 0x3f) | 0x80] as string
  return `${uuidTime}${(counter + 0x1000).toString(16).slice(1)}-${variant}${randomHex(1)}-${randomHex(6)}`
}

/** A new wire id, without creating the UUID first: every request gets one. */
export function newWireId(prefix: IdPrefix): string {
  tick()
  const version = 0x7000 | counter
  const high = (random32() & 0x3fff_ffff) | 0x8000_0000
  const low = random32()
  const first = `${pairOf(version >>> 6)}${pairOf((version << 4) | (high >>> 28))}${pairOf(high >>> 18)}${pairOf(high >>> 8)}`
  const second = `${pairOf((high << 2) | (low >>> 30))}${pairOf(low >>> 20)}${pairOf(low >>> 10)}${pairOf(low)}`
  return `${prefix}_${wireTime}${first}${second}`
}

/** The two characters for the lowest ten bits. */
const pairOf = (bits: number): string => pairs[bits & 1023] as string

function tick(): void {
  const now = Date.now()
  if (now > lastMs) startMillisecond(now)
  else if (counter < 0xfff) counter += 1
  else startMillisecond(lastMs + 1)
}

const hex2 = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const pool = new Uint8Array(8_192)
let drawn = pool.length

function randomByte(): number {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  const byte = pool[drawn] as number
  pool[drawn] = 0
  drawn += 1
  return byte
}

const random32 = (): number => (randomByte() << 24) | (randomByte() << 16) | (randomByte() << 8) | randomByte()

function randomHex(bytes: number): string {
  let text = ''
  for (let left = bytes; left > 0; left -= 1) text += hex2[randomByte()] as string
  return text
}

function startMillisecond(ms: number): void {
  lastMs = ms
  counter = 0
  const hex = ms.toString(16).padStart(12, '0')
  uuidTime = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  wireTime = [40, 30, 20, 10, 0].map((bits) => pairOf(Math.floor(ms / 2 ** bits))).join('')
}

const dash = 45
/** The value of a hexadecimal digit by its character code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

/** The wire id of a UUID, with or without dashes: two zero bits and 128 bits, ten for each pair of characters. */
export function toWireId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`
  let bits = 2
  let pending = 0
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at)
    if (code === dash) continue
    pending = (pending << 4) | (digits[code] as number)
    bits += 4
    if (bits < 10) continue
    bits -= 10
    text += pairs[pending >>> bits] as string
    pending &= (1 << bits) - 1
  }
  return text
}

/** The UUID of a wire id; undefined if it is malformed or has another prefix. */
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

export interface UuidRange {
  readonly from: string
  readonly to: string
}

/** The UUIDs whose wire ids begin with this text after their prefix; undefined if no wire id does. */
export function uuidRange(start: string): UuidRange | undefined {
  const from = fromWireId('run', `run_${start.padEnd(26, '0')}`)
  const to = fromWireId('run', `run_${start.padEnd(26, 'z')}`)
  return start !== '' && from !== undefined && to !== undefined ? { from, to } : undefined
}

/** When a UUIDv7 was made, in milliseconds since 1970. */
export const timeOfUuid = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
