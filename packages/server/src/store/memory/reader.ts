// Reads memory through the pool or inside a transaction. A transaction that holds a lock must not wait for a second
// connection.
import type pg from 'pg'
import type { Row, Statement } from '../postgres/database.ts'

export interface MemoryReader {
  query<R extends Row>(statement: Statement): Promise<R[]>
}

export const readerInside = (client: pg.PoolClient): MemoryReader => ({
  query: async <R extends Row>({ text, values = [] }: Statement) => (await client.query<R>(text, [...values])).rows,
})
