// Authenticated encryption (AES-256-GCM) of stored values, bound to the key and to the place where the value is stored.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** The first byte of a sealed value identifies its format. */
const formVersion = 1

/** A sealed value cannot be opened: wrong key, wrong place or changed bytes. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** `place` identifies where the value is stored. It is not part of the result, and the value opens only there. */
export function seal(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(formVersion), nonce, body, cipher.getAuthTag()])
}

export function unseal(key: Buffer, sealed: Buffer, place: string): Buffer {
  if (sealed[0] !== formVersion || sealed.length < 1 + nonceBytes + tagBytes) {
    throw new SealBroken('a sealed value has an unknown format')
  }
  const body = sealed.subarray(1 + nonceBytes, -tagBytes)
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch {
    throw new SealBroken('a sealed value cannot be opened: wrong key, wrong place or changed bytes')
  }
}
