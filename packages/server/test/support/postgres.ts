// Vitest's global set-up: one real PostgreSQL for all test files. It starts when the first test asks for it, so that
// tests without a database start none.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'
import type { TestServer } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers every connection with the address of the server. */
    postgresPort: number
  }
}

export const templateName = 'runwright_test_template'

/** What a test gets. */
export type Answer = { readonly connection: ConnectionOptions } | { readonly problem: string }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<TestServer> | undefined
  const start = async () => {
    // Loaded now and not above, because that takes longer than most tests without a database.
    const { startTestServer } = await import('./start-postgres.ts')
    return startTestServer(templateName)
  }
  const answer = async (socket: Socket) => {
    starting ??= start()
    socket.end(JSON.stringify(await starting.then(({ connection }) => ({ connection }), describe)))
  }
  const server = createServer((socket) => void answer(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  project.provide('postgresPort', (server.address() as AddressInfo).port)
  return async () => {
    server.close()
    await starting?.then(
      ({ stop }) => stop(),
      () => undefined,
    )
  }
}

const describe = (error: unknown): Answer => ({ problem: error instanceof Error ? (error.stack ?? '') : String(error) })
