// Converts any thrown value to the error envelope. Only this file maps reason codes to statuses.
import { type ErrorBody, errorClasses, type ReasonCode, reasons } from '@runwright/contract'
import { customerMoving, ServiceError } from '../../../domain/service-error.ts'
import {
  DatabaseUnavailableError,
  isAmbiguous,
  isBusy,
  isMoving,
  isTransient,
  PoolFullError,
  QueryTooExpensiveError,
  type WriteProblem,
  writeProblemOf,
} from '../../../store/postgres/errors.ts'

interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
}

export function errorBody(reason: ReasonCode, message: string, requestId: string): ErrorBody {
  return { error: errorClasses[reasons[reason].status], reason_code: reason, message, request_id: requestId }
}

interface ErrorContext {
  readonly requestId: string
  /** The reason code for a lost database, if the route has its own. */
  readonly databaseLost?: ReasonCode | undefined
}

export function errorAnswer(error: unknown, { requestId, databaseLost }: ErrorContext): ErrorAnswer {
  const { reason, message, retryAfterSeconds } = toServiceError(error, databaseLost)
  const { status } = reasons[reason]
  const mayRetry = status === 429 || status === 503
  return {
    status,
    headers: {
      ...(mayRetry && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) }),
      ...(status === 401 && { 'www-authenticate': challengeOf(reason) }),
    },
    body: errorBody(reason, message, requestId),
  }
}

/** RFC 6750: the error is named only to a caller that sent a key. */
const challengeOf = (reason: ReasonCode): string =>
  reason.startsWith('API_KEY_') || reason.startsWith('TOKEN_')
    ? 'Bearer realm="runwright", error="invalid_token"'
    : 'Bearer realm="runwright"'

/** Whether the error is a bug in the service, which is logged with its stack. */
export const isDefect = (error: unknown): boolean => toServiceError(error).reason === 'INTERNAL_ERROR'

function toServiceError(error: unknown, databaseLost: ReasonCode = 'DATABASE_UNAVAILABLE'): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof QueryTooExpensiveError) return tooExpensive()
  if (isMoving(error)) return customerMoving()
  if (error instanceof PoolFullError) return noConnection()
  if (isBusy(error) && !mayBeWritten(error)) return tooBusy()
  const problem = writeProblemOf(error)
  // The database answers, so this is not what a route's own reason for a lost database means.
  if (problem && !mayBeWritten(error)) return refusesWrites(problem)
  if (error instanceof DatabaseUnavailableError) return new ServiceError(databaseLost, databaseMessage(error), 2)
  if (isTransient(error)) return new ServiceError(databaseLost, databaseMessage(), 2)
  return new ServiceError(
    'INTERNAL_ERROR',
    'An unexpected error occurred. The log of the service has the details under this request id.',
  )
}

const mayBeWritten = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError ? error.outcomeUnknown : isAmbiguous(error)

const noConnection = () =>
  new ServiceError(
    'OVERLOADED',
    'The service is overloaded: no connection to the database was free in time. Nothing was written. Try again.',
    2,
  )

const tooBusy = () =>
  new ServiceError(
    'OVERLOADED',
    'The service is overloaded: it had no time for the database. Nothing was written. Try again.',
    2,
  )

const refusals: Readonly<Record<WriteProblem, string>> = {
  disk_full: 'The disk of the database is full: it can be read, and accepts no writes.',
  read_only: 'The database is read-only: it accepts no writes.',
}

export const refusesWrites = (problem: WriteProblem): ServiceError =>
  new ServiceError('DATABASE_UNAVAILABLE', `${refusals[problem]} Nothing was written. Try again later.`, 2)

const tooExpensive = () =>
  new ServiceError(
    'QUERY_TOO_EXPENSIVE',
    'The query took longer than 2 seconds. Narrow it, for example to a shorter time or a workspace, or try again later.',
    5,
  )

const databaseMessage = (error?: DatabaseUnavailableError): string =>
  error?.outcomeUnknown
    ? 'The database connection was lost during the write, so the request may have taken effect. Retry with the same idempotency key.'
    : 'The database is unreachable. Nothing was written. Try again later.'
