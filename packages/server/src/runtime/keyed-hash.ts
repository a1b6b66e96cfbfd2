// Hashes of guessable things, keyed so that a copy of the database alone does not let anyone guess.
import { createHmac, hash } from 'node:crypto'

export type KeyedHash = (text: string) => Buffer

const blockBytes = 64
const maxShortBytes = 8_192

/**
 * A hash for one purpose: the same text under another label gives another hash. It is HMAC-SHA256, written out over Node's
 * one-shot hash: two of these are made for every request, and setting up an Hmac object costs as much as the hashing.
 */
export const keyedHash = (secret: Buffer, label: string): KeyedHash => hashWith(deriveKey(secret, label))

/** A key for one purpose, which tells nothing of the secret. */
export const deriveKey = (secret: Buffer, label: string): Buffer => createHmac('sha256', secret).update(label).digest()

/** Takes a key of 32 bytes. What is hashed is put together in place: a buffer from native code costs more than the hash. */
export function hashWith(key: Buffer): KeyedHash {
  const inner = padded(key, 0x36)
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(32)])
  const short = Buffer.concat([inner, Buffer.alloc(maxShortBytes)])
  const messageOf = (text: string) =>
    text.length * 3 > maxShortBytes
      ? Buffer.concat([inner, Buffer.from(text)])
      : short.subarray(0, blockBytes + short.write(text, blockBytes))
  return (text) => {
    outer.write(hash('sha256', messageOf(text), 'binary'), blockBytes, 'binary')
    return Buffer.from(hash('sha256', outer, 'binary'), 'binary')
  }
}

function padded(key: Buffer, byte: number): Buffer {
  const block = Buffer.alloc(blockBytes, byte)
  for (const [index, value] of key.entries()) block[index] = value ^ byte
  return block
}
