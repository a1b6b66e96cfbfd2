// `runwright gate`: passes requests on to the cells of their customers, until a signal arrives.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { readCells } from '../cells/read-cells.ts'
import { CellGate } from '../http/cells/cell-gate.ts'
import { KeyRoutes } from '../http/cells/key-routes.ts'
import { createLogger } from '../runtime/logger.ts'
import { readSettings } from '../runtime/settings/settings.ts'
import { Database } from '../store/postgres/database.ts'
import { explain } from './explain.ts'
import { stopOnSignal } from './stop-on-signal.ts'

export async function startGate(env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(env)
  const addresses = readCells(settings.cells.path)
  const databases = addresses.map(({ name, database: connectionString }) => ({
    name,
    database: new Database({
      connection: { connectionString },
      maxConnections: 2,
      applicationName: 'runwright gate',
      statementTimeoutMs: 2_000,
    }),
  }))
  const gate = new CellGate({
    cells: addresses,
    routes: new KeyRoutes({ cells: databases }),
    logger: createLogger(settings.logging),
  })
  gate.server.listen(settings.http.port, settings.http.host)
  await once(gate.server, 'listening')
  gate.start()
  stopOnSignal(async () => {
    await gate.stop()
    await Promise.all(databases.map(({ database }) => database.close()))
  }, die)
  const { port } = gate.server.address() as AddressInfo
  console.log(`\nRunwright is ready.\n\n  API      http://${settings.http.host}:${port}`)
  console.log(`  Cells    ${addresses.map(({ name, url }) => `${name} (${url})`).join(', ')}\n`)
}

function die(error: unknown): never {
  console.error(explain(error))
  process.exit(1)
}
