// Reads the header `Authorization: Bearer <key_id>:<secret>`. What it says about a bad one never repeats any of it.
import { ServiceError } from '../domain/service-error.ts'

export interface PresentedKey {
  readonly keyId: string
  readonly secret: string
}

const maxLength = 1_024
/** Cut at the first colon: an id holds none, a secret may. */
const pattern = /^bearer +([^\s:]+):(\S+)$/i

export function parseAuthorization(header: string | undefined): PresentedKey {
  if (header === undefined) {
    throw new ServiceError('AUTH_HEADER_MISSING', 'The header Authorization is missing; send Bearer <key_id>:<secret>.')
  }
  const presented = readAuthorization(header)
  if (presented === undefined) {
    throw new ServiceError(
      'AUTH_HEADER_MALFORMED',
      'The header Authorization must be Bearer <key_id>:<secret>, without white space inside and at most 1,024 characters long.',
    )
  }
  return presented
}

/** Undefined when it is malformed. */
export function readAuthorization(header: string): PresentedKey | undefined {
  const [, keyId, secret] = (header.length <= maxLength && pattern.exec(header)) || []
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret }
}
