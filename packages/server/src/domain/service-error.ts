// An expected refusal: a reason code and a message for the caller. Only the HTTP layer knows status codes.
import type { ReasonCode } from '@runwright/contract'

export class ServiceError extends Error {
  readonly reason: ReasonCode
  readonly retryAfterSeconds: number | undefined

  constructor(reason: ReasonCode, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'ServiceError'
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
