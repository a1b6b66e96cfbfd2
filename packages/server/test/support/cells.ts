// Two cells with a service each, and a gate in front of them.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { limitConnections, requestTimeoutsOf } from '../../src/app/connections.ts'
import type { OpenCell } from '../../src/cells/cell.ts'
import { CellGate } from '../../src/http/cells/cell-gate.ts'
import { cellTimesOf } from '../../src/http/cells/cell-times.ts'
import { KeyRoutes } from '../../src/http/cells/key-routes.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import type { Tool } from '../../src/tools/port/tool.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { type Service, startService } from './service.ts'

export interface Cell extends OpenCell {
  readonly fresh: FreshDatabase
  readonly service: Service
  /** The key of the customer that was created in this cell. */
  readonly key: string
}

interface CellsOptions {
  readonly tools?: readonly Tool[]
  readonly env?: Record<string, string>
}

/** The cell `a` with the customer `acme`, and the cell `b` with the customer `other`. */
export async function startCells({ tools = [], env = {} }: CellsOptions = {}) {
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const start = async (name: string, customer: string): Promise<Cell> => {
    const fresh = await freshDatabase()
    const key = `key_${customer}:${randomBytes(12).toString('hex')}`
    const service = await startService(
      { RUNWRIGHT_BOOTSTRAP_KEYS: `${customer}=${key}`, RUNWRIGHT_HEARTBEAT_SECONDS: '0.2', ...env },
      { worker: true, tools, host: fresh, secrets, announceMs: 0 },
    )
    const sealing = new SealingKeys(fresh.database, secrets)
    await sealing.open()
    return { name, fresh, service, key, database: fresh.database, sealing }
  }
  const a = await start('a', 'acme')
  const b = await start('b', 'other')
  const gate = await startGate([a, b])
  const running = new Set([a, b])
  const stopCell = async (cell: Cell) => {
    if (running.delete(cell)) await cell.service.stop()
  }
  const stop = async () => {
    await gate.stop()
    await Promise.all([stopCell(a), stopCell(b)])
  }
  return { a, b, gate, secrets, stopCell, stop }
}

/** What a gate has apart from its cells, with these settings. */
export function gateDefaults(env: Record<string, string> = {}) {
  const logger = createLogger({ level: 'silent' })
  const { http, streams } = readSettings(env)
  return {
    logger,
    connections: limitConnections(http, { logger }),
    timeouts: requestTimeoutsOf(http),
    times: cellTimesOf(streams),
  }
}

/** Without `routes`, it finds the cell of a key as in production. */
export async function startGate(cells: readonly Cell[], routes?: Pick<KeyRoutes, 'find'>) {
  const databases = () => cells.map(({ name, fresh }) => ({ name, database: fresh.open(2) }))
  const gate = new CellGate({
    cells: cells.map(({ name, service }) => ({ name, url: service.url })),
    routes: routes ?? new KeyRoutes({ cells: databases() }),
    ...gateDefaults(),
  })
  gate.server.listen(0, '127.0.0.1')
  await once(gate.server, 'listening')
  gate.start()
  const { port } = gate.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, gate, stop: () => gate.stop(0) }
}
