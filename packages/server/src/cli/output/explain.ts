// The message for an error on the command line: one sentence for an expected error, the stack for a bug.
import {
  DatabaseUnavailableError,
  isTransient,
  type WriteProblem,
  writeProblemOf,
} from '../../store/postgres/errors.ts'

/** Errors whose message explains them completely. */
const selfExplaining = new Set([
  'SettingsError',
  'EmbeddedPostgresError',
  'SchemaError',
  'ServiceError',
  'ChildProcessError',
  'MoveRefused',
  'MetricsPortError',
  'TracingError',
])

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `Runwright failed: ${String(error)}`
  if (selfExplaining.has(error.name)) return error.message
  if (error instanceof DatabaseUnavailableError || isTransient(error)) return explainDatabase(error)
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is already in use. Stop the process that uses it, or set RUNWRIGHT_PORT.`
  if (code === 'EACCES' && port !== undefined)
    return `No permission to listen on port ${port}. Set RUNWRIGHT_PORT to a port above 1023.`
  if (code === 'EADDRNOTAVAIL') return `This host does not have the address ${address}. Check RUNWRIGHT_HOST.`
  return error.stack ?? error.message
}

const refusals: Readonly<Record<WriteProblem, string>> = {
  disk_full: 'The disk of the database is full. Free space, then try again.',
  read_only:
    'The database is read-only: it is a standby, or default_transaction_read_only is on. Use the address of the primary in DATABASE_URL, or turn the setting off.',
}

function explainDatabase(error: Error): string {
  const problem = writeProblemOf(error)
  if (problem) return refusals[problem]
  const cause = error.cause instanceof Error ? error.cause : error
  const which = process.env.DATABASE_URL ? 'The database of DATABASE_URL' : 'The embedded database'
  return `${which} cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}.`
}
