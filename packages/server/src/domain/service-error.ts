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

/** A write of a customer whose data is being moved to another cell, or any request to the cell that it has left. */
export const customerMoving = (): ServiceError =>
  new ServiceError(
    'CUSTOMER_MOVING',
    'The customer is being moved to another cell, which takes a few seconds. Nothing was written. Try again.',
    1,
  )
