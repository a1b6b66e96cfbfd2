// The version of a customer's memory, which is also its lock: see memory_versions.
import type pg from 'pg'
import type { MemoryReader } from './reader.ts'

/** Called first in every transaction that changes memory. The row stays locked until the commit. */
export async function raiseMemoryVersion(client: pg.PoolClient, customerId: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `
insert into memory_versions (customer_id, version)
values ($1, 1)
on conflict (customer_id) do update set version = memory_versions.version + 1
returning version`,
    [customerId],
  )
  return (rows[0] as { version: number }).version
}

/** 0 when nothing was ever saved. */
export async function readMemoryVersion(reader: MemoryReader, customerId: string): Promise<number> {
  const [row] = await reader.query<{ version: number }>({
    name: 'read-memory-version',
    text: 'select version from memory_versions where customer_id = $1',
    values: [customerId],
  })
  return row?.version ?? 0
}

/** The version of the last change that deleted items; 0 when nothing was ever deleted. */
export async function readDeletedVersion(reader: MemoryReader, customerId: string): Promise<number> {
  const [row] = await reader.query<{ deleted_version: number }>({
    name: 'read-deleted-version',
    text: 'select deleted_version from memory_versions where customer_id = $1',
    values: [customerId],
  })
  return row?.deleted_version ?? 0
}
