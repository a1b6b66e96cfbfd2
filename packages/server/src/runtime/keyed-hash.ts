// Hashes of guessable things, keyed so that a copy of the database alone does not let anyone guess.
import { createHmac, hash } from 'node:crypto'

export type KeyedHash = (text: string) => Buffer

const blockBytes = 64

/**
 * A hash for one purpose: the same text under another label gives another hash. It is HMAC-SHA256, written out over Node's
 * one-shot hash: two of these are made for every request, and setting up an Hmac object costs as much as the hashing.
 */
export const keyedHash = (secret: Buffer, label: string): KeyedHash => hashWith(deriveKey(secret, label))

/** A key for one purpose, which tells nothing of the secret. */
export const deriveKey = (secret: Buffer, label: string): Buffer => createHmac('sha256', secret).update(label).digest()

/** Takes a key of 32 bytes. */
export function hashWith(key: Buffer): KeyedHash {
  const inner = padded(key, 0x36)
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(32)])
  return (text) => {
    const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
    inner.copy(message)
    message.write(text, blockBytes)
    hash('sha256', message, 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}

function padded(key: Buffer, byte: number): Buffer {
  const block = Buffer.alloc(blockBytes, byte)
  for (const [index, value] of key.entries()) block[index] = value ^ byte
  return block
}
