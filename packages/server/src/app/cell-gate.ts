// The gate of several cells: a process that passes requests on.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { readCells } from '../cells/read-cells.ts'
import { CellGate } from '../http/cells/cell-gate.ts'
import { cellTimesOf } from '../http/cells/cell-times.ts'
import { KeyRoutes } from '../http/cells/key-routes.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Settings } from '../runtime/settings/settings.ts'
import { Database } from '../store/postgres/database.ts'
import { limitConnections, requestTimeoutsOf } from './connections.ts'

export function createGate({ cells: { path }, http, streams }: Settings, logger: Logger) {
  const cells = readCells(path)
  const databases = cells.map(({ name, database: connectionString }) => ({
    name,
    database: new Database({
      connection: { connectionString },
      maxConnections: 2,
      applicationName: 'runwright gate',
      statementTimeoutMs: 2_000,
    }),
  }))
  const gate = new CellGate({
    cells,
    routes: new KeyRoutes({ cells: databases }),
    logger,
    connections: limitConnections(http, { logger }),
    timeouts: requestTimeoutsOf(http),
    times: cellTimesOf(streams),
  })
  return {
    cells,
    /** Resolves with the address it listens on. */
    start: async (): Promise<string> => {
      gate.server.listen(http.port, http.host)
      await once(gate.server, 'listening')
      gate.start()
      const { port } = gate.server.address() as AddressInfo
      return `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${port}`
    },
    stop: async (): Promise<void> => {
      await gate.stop()
      await Promise.all(databases.map(({ database }) => database.close()))
    },
  }
}
