// Why a key is refused.
import type { ReasonCode } from '@runwright/contract'
import { ServiceError } from '../domain/service-error.ts'

const messages = {
  API_KEY_INVALID: 'The API key is invalid.',
  API_KEY_REVOKED: 'The API key is revoked.',
  API_KEY_EXPIRED: 'The API key has expired.',
} as const satisfies Partial<Record<ReasonCode, string>>

export const keyRefusal = (reason: keyof typeof messages): ServiceError => new ServiceError(reason, messages[reason])
