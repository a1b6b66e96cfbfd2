// Turns whatever was thrown into the error envelope. The only place that knows which reason has which status.
import { type ErrorBody, errorClasses, type ReasonCode, reasons } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { DatabaseUnavailableError, isTransient } from '../../store/postgres/errors.ts'

export interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
}

export function errorBody(reason: ReasonCode, message: string, requestId: string): ErrorBody {
  return { error: errorClasses[reasons[reason].status], reason_code: reason, message, request_id: requestId }
}

/** Where the database's absence has a code of its own. */
export interface ErrorContext {
  readonly requestId: string
  readonly databaseLost?: ReasonCode | undefined
}

export function errorAnswer(error: unknown, { requestId, databaseLost }: ErrorContext): ErrorAnswer {
  const { reason, message, retryAfterSeconds } = toServiceError(error, databaseLost)
  const { status } = reasons[reason]
  const mayRetry = status === 429 || status === 503
  return {
    status,
    headers: mayRetry ? { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) } : {},
    body: errorBody(reason, message, requestId),
  }
}

/** A defect of ours: worth a line in the log with its stack. */
export const isDefect = (error: unknown): boolean => toServiceError(error).reason === 'INTERNAL_ERROR'

function toServiceError(error: unknown, databaseLost: ReasonCode = 'DATABASE_UNAVAILABLE'): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof DatabaseUnavailableError) return new ServiceError(databaseLost, databaseMessage(error), 2)
  if (isTransient(error)) return new ServiceError(databaseLost, databaseMessage(), 2)
  return new ServiceError(
    'INTERNAL_ERROR',
    'Something went wrong inside the service; the request id names it in the log.',
  )
}

const databaseMessage = (error?: DatabaseUnavailableError): string =>
  error?.outcomeUnknown
    ? 'The database was lost while it was writing; whether this request took effect will show when it is back. Try again with the same idempotency key.'
    : 'The database cannot be reached at the moment; nothing was written. Try again.'
