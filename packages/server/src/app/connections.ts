// The limits on connections of a process that serves HTTP, as its settings and the system allow.
import { ConnectionLimits, type ConnectionLimitsOptions } from '../http/server/connections/connection-limits.ts'
import type { RequestTimeouts } from '../http/server/http-server.ts'
import type { Logger } from '../runtime/logger.ts'
import { maxOpenFiles } from '../runtime/open-files.ts'
import type { Settings } from '../runtime/settings/settings.ts'

type HttpSettings = Settings['http']

/** Files of the process that are not connections to its port: databases, providers, tools, webhooks, logs. */
const otherFiles = 1_000

/** At least half of the open files, and what is left above those that the process needs for itself. */
export function connectionsWithin(wanted: number, openFiles: number | undefined): number {
  if (wanted === 0 || openFiles === undefined) return wanted
  return Math.min(wanted, Math.max(openFiles - otherFiles, Math.floor(openFiles / 2)))
}

export function limitConnections(
  { maxConnections, maxConnectionsPerAddress }: HttpSettings,
  { logger, onRefused }: { readonly logger: Logger } & Pick<ConnectionLimitsOptions, 'onRefused'>,
): ConnectionLimits {
  const openFiles = maxOpenFiles()
  const max = connectionsWithin(maxConnections, openFiles)
  if (max < maxConnections) {
    logger.warn(
      { max, open_files: openFiles },
      'fewer connections than RUNWRIGHT_MAX_CONNECTIONS are accepted, because of the limit on open files',
    )
  }
  return new ConnectionLimits({ max, maxPerAddress: maxConnectionsPerAddress, logger, onRefused })
}

export const requestTimeoutsOf = ({ headersTimeoutSeconds, requestTimeoutSeconds }: HttpSettings): RequestTimeouts => ({
  headersMs: headersTimeoutSeconds * 1000,
  requestMs: requestTimeoutSeconds * 1000,
})
