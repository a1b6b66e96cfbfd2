// Hashes of guessable things, keyed so that a copy of the database alone does not let anyone guess.
import { createHmac } from 'node:crypto'

export type KeyedHash = (text: string) => Buffer

/** A hash for one purpose: the same text under another label gives another hash. */
export function keyedHash(secret: Buffer, label: string): KeyedHash {
  const key = createHmac('sha256', secret).update(label).digest()
  return (text) => createHmac('sha256', key).update(text).digest()
}
