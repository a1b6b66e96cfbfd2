// Parses the header `Authorization: Bearer <key_id>:<secret>`. Errors never quote it.
import { ServiceError } from '../domain/service-error.ts'

interface PresentedKey {
  readonly keyId: string
  readonly secret: string
}

const maxLength = 1_024
/** Split at the first colon: an id contains none, a secret may. */
const pattern = /^bearer +([^\s:]+):(\S+)$/i

export function parseAuthorization(header: string | undefined): PresentedKey {
  if (header === undefined) {
    throw new ServiceError(
      'AUTH_HEADER_MISSING',
      'The Authorization header is missing. Send Bearer <key_id>:<secret> or Bearer <token>.',
    )
  }
  const presented = readAuthorization(header)
  if (presented === undefined) {
    throw new ServiceError(
      'AUTH_HEADER_MALFORMED',
      'The Authorization header must be Bearer <key_id>:<secret> or Bearer <token>, without white space in the key or token. It can have 1,024 characters with a key, and 8,192 with a token.',
    )
  }
  return presented
}

/** Undefined if it is malformed. */
export function readAuthorization(header: string): PresentedKey | undefined {
  const [, keyId, secret] = (header.length <= maxLength && pattern.exec(header)) || []
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret }
}
