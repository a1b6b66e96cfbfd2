// Classifies errors of PostgreSQL and its connections: bad data, transient fault, lost connection, defect.

/** The server answers, but refuses writes. */
export type WriteProblem = 'disk_full' | 'read_only'

const refusals: Readonly<Record<WriteProblem, string>> = {
  disk_full: 'the disk of the database is full',
  read_only: 'the database is read-only',
}

/** The database could not be reached, not in time, or it refuses writes. */
export class DatabaseUnavailableError extends Error {
  /** The last statement may have been committed: its answer was lost. */
  readonly outcomeUnknown: boolean

  constructor(cause: unknown, outcomeUnknown = false) {
    const problem = writeProblemOf(cause)
    super(problem ? refusals[problem] : 'the database cannot be reached', { cause })
    this.name = 'DatabaseUnavailableError'
    this.outcomeUnknown = outcomeUnknown
  }
}

/** The server answers, but all connections that this process may use were busy. Nothing was sent. */
export class PoolFullError extends DatabaseUnavailableError {
  constructor(cause: unknown) {
    super(blameProcess(cause))
    this.name = 'PoolFullError'
    this.message = 'no connection to the database was free in time'
  }
}

/** A read took longer than its connection allows. */
export class QueryTooExpensiveError extends Error {
  constructor(cause: unknown) {
    super('the database took too long to answer the query', { cause })
    this.name = 'QueryTooExpensiveError'
  }
}

interface PostgresError extends Error {
  readonly code: string
  readonly constraint?: string
}

const isCoded = (error: unknown): error is PostgresError =>
  error instanceof Error && typeof (error as Partial<PostgresError>).code === 'string'

export const isSqlState = (error: unknown): error is PostgresError => isCoded(error) && /^[0-9A-Z]{5}$/.test(error.code)

/** A row that PostgreSQL refuses: SQLSTATE classes 22 (data) and 23 (constraints). */
export const isBadRow = (error: unknown): boolean => isSqlState(error) && /^2[23]/.test(error.code)

/** `refuse_moving` of the schema: the customer is being moved to another cell. */
export const isMoving = (error: unknown): boolean => isSqlState(error) && error.code === '23M01'

/**
 * The name of the violated constraint; undefined: the error has another cause. Not every server and proxy has a field
 * for the name, but the message has it in quotes. Empty: neither has it.
 */
export const violatedUnique = (error: unknown): string | undefined =>
  isSqlState(error) && error.code === '23505' ? (error.constraint ?? quotedName(error.message)) : undefined

/** In the quotes of any language. */
const quotedName = (message: string): string => /["“”„«»]\s?(\w+)\s?["“”„«»]/.exec(message)?.[1] ?? ''

// Certainly rolled back: serialization, deadlock, lock timeout, statement cancelled.
const rolledBack = new Set(['40001', '40P01', '55P03', '57014'])
// Not executed: connection refused, server starting up, too many connections.
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P03',
  '53300',
])
// The server became a standby, or is set to read-only. The statement was refused.
const readOnly = '25006'
const connectionCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P05', readOnly])
// The server itself is in trouble: no resources (53, such as a full disk), intervention of the operator (57), or an
// error of the system (58). The statement was rolled back, and can succeed once the operator has acted.
const serverTrouble = /^(?:53|57|58)/
const connectionMessages =
  /Connection terminated|Connection ended|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed/i

const timeoutMessages = /timeout exceeded when trying to connect|due to connection timeout|Query read timeout/i

const isConnectionLoss = (error: unknown): boolean =>
  error instanceof Error &&
  ((isCoded(error) && (connectionCodes.has(error.code) || error.code.startsWith('08'))) ||
    connectionMessages.test(error.message))

/** The server ended the statement, in most cases because of `statement_timeout`. */
export const isCancelled = (error: unknown): boolean => isSqlState(error) && error.code === '57014'

/** Can be retried: the fault is not in the statement. */
export const isTransient = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError ||
  isConnectionLoss(error) ||
  (isCoded(error) && (rolledBack.has(error.code) || neverSent.has(error.code))) ||
  (isSqlState(error) && serverTrouble.test(error.code))

/** Transient, and the statement may have been committed. */
export const isAmbiguous = (error: unknown): boolean =>
  isConnectionLoss(error) && !isReadOnly(error) && !isPoolFull(error)

/** The server accepts no writes: another one may have replaced it. */
export const isReadOnly = (error: unknown): boolean => isSqlState(error) && error.code === readOnly

/** Undefined: the error has another cause. */
export function writeProblemOf(error: unknown): WriteProblem | undefined {
  const cause = causeOf(error)
  if (isDiskFull(cause)) return 'disk_full'
  return isReadOnly(cause) ? 'read_only' : undefined
}

export const isDiskFull = (error: unknown): boolean => isSqlState(error) && error.code === '53100'

/** No connection of the pool was free in time. */
export const isPoolFull = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')

/** Says only that time has passed: an answer, a new connection or a free one did not come. */
export function isTimeout(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Error && timeoutMessages.test(cause.message)
}

const causeOf = (error: unknown): unknown => (error instanceof DatabaseUnavailableError ? error.cause : error)

const ofBusyProcess = new WeakSet<Error>()

/** Notes that this timeout is no evidence against the server: see `ServerSilence`. Returns it. */
export function blameProcess(error: unknown): unknown {
  const cause = causeOf(error)
  if (cause instanceof Error) ofBusyProcess.add(cause)
  return error
}

/** Time has passed because this process, or its connections, were busy. */
export function isBusy(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Error && ofBusyProcess.has(cause)
}

/** The server cannot be reached, or does not serve. */
export function isServerAway(error: unknown): boolean {
  if (isBusy(error)) return false
  const cause = causeOf(error)
  // A statement without an answer may wait for a lock.
  if (!(cause instanceof Error) || isPoolFull(cause) || cause.message === 'Query read timeout') return false
  return error instanceof DatabaseUnavailableError || isConnectionLoss(cause)
}

/** After this error the connection must not be used again. */
export const breaksConnection = (error: unknown): boolean => isConnectionLoss(error)
