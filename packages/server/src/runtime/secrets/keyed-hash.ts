// Keyed hashes (HMAC-SHA256) of values that could be guessed: a copy of the database alone does not help to guess them.
import { createHmac } from 'node:crypto'

export type KeyedHash = (text: string) => Buffer

/** A hash for one purpose: the same text under another label has another hash. */
export const keyedHash = (secret: Buffer, label: string): KeyedHash => hashWith(hashWith(secret)(label))

export const hashWith =
  (key: Buffer): KeyedHash =>
  (text) =>
    createHmac('sha256', key).update(text).digest()
