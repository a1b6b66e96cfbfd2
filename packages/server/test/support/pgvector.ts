// A PostgreSQL that has pgvector, without anything to install: the one that is compiled to WebAssembly, inside this
// process. It has one connection, so it is for what the extension does, not for what happens at once.
import { PGlite, type Results } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type pg from 'pg'
import { Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'

export async function databaseWithPgvector(): Promise<Database> {
  const database = new LiteDatabase(await PGlite.create({ extensions: { vector } }))
  await migrate(database)
  return database
}

class LiteDatabase extends Database {
  readonly #lite: PGlite

  constructor(lite: PGlite) {
    super({ connection: {}, maxConnections: 1, applicationName: 'runwright test' })
    this.#lite = lite
  }

  override withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return work({ query: (asked: Asked, values?: unknown[]) => this.#query(asked, values) } as unknown as pg.PoolClient)
  }

  override async close(): Promise<void> {
    await this.#lite.close()
  }

  async #query(asked: Asked, given?: unknown[]) {
    const { text, values = given } = typeof asked === 'string' ? { text: asked } : asked
    const results = values
      ? [await this.#lite.query(text, values, { parsers })]
      : await this.#lite.exec(text, { parsers })
    const { rows = [], affectedRows = 0 } = (results.at(-1) ?? {}) as Partial<Results>
    return { rows, rowCount: rows.length || affectedRows }
  }
}

type Asked = string | { readonly text: string; readonly values?: unknown[] }

const bytea = 17
const json = 114
const parsers = { [bytea]: (hex: string) => Buffer.from(hex.slice(2), 'hex'), [json]: (text: string) => text }
