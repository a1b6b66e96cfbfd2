// Secrets that are derived from a seed and the pepper: a process that has both can show the secret again, and neither
// alone tells anything about it.
import { randomBytes } from 'node:crypto'
import { keyedHash } from './keyed-hash.ts'

const seedBytes = 32

export const newSeed = (): Buffer => randomBytes(seedBytes)

/** 32 bytes. The same seed under another label gives another secret. */
export function deriveSecret(keyPepper: Buffer, label: string): (seed: Buffer) => Buffer {
  const hash = keyedHash(keyPepper, label)
  return (seed) => hash(seed.toString('base64'))
}
