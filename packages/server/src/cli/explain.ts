// What went wrong, for a person at a terminal: one sentence where we know it, the stack where it is a defect.
import { DatabaseUnavailableError, isTransient } from '../store/postgres/errors.ts'

/** Errors whose message is a whole explanation, whatever part of the service they come from. */
const selfExplaining = new Set(['SettingsError', 'EmbeddedPostgresError', 'SchemaError', 'ServiceError'])

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `Runwright failed: ${String(error)}`
  if (selfExplaining.has(error.name)) return error.message
  if (error instanceof DatabaseUnavailableError || isTransient(error)) return explainDatabase(error)
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is taken; stop what listens there or set RUNWRIGHT_PORT.`
  if (code === 'EACCES' && port !== undefined)
    return `Not allowed to listen on port ${port}; set RUNWRIGHT_PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${address}; check RUNWRIGHT_HOST.`
  return error.stack ?? error.message
}

function explainDatabase(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error
  return `The database of DATABASE_URL cannot be reached: ${cause.message || (cause as NodeJS.ErrnoException).code}.`
}
