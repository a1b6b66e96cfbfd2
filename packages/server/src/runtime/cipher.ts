// Authenticated encryption (AES-256-GCM) of what is stored: a changed byte, another key or another place and nothing opens.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** The first byte: should the form ever change, old values can still be told. */
const formVersion = 1

/** What was sealed here cannot be opened: it belongs elsewhere, the key is another, or bytes have changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** `place` says where the value belongs; it is not stored with it, and the value opens nowhere else. */
export function seal(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(formVersion), nonce, body, cipher.getAuthTag()])
}

export function unseal(key: Buffer, sealed: Buffer, place: string): Buffer {
  if (sealed[0] !== formVersion || sealed.length < 1 + nonceBytes + tagBytes) {
    throw new SealBroken('a sealed value has a form that is not known')
  }
  const body = sealed.subarray(1 + nonceBytes, -tagBytes)
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch {
    throw new SealBroken('a sealed value does not open: wrong key, wrong place or changed bytes')
  }
}
