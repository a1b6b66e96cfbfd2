// Seals the copied values of runs again: each cell has data keys of its own.
import type pg from 'pg'
import type { SealingKeys } from '../sealed/sealing-keys.ts'
import type { Clients } from './part-rows.ts'

export interface CellKeys {
  readonly source: SealingKeys
  readonly target: SealingKeys
}

type SealedRow = { run_id: string; sealed: Buffer; sealed_key: number }

export async function resealCopies(
  { source, target }: Clients,
  keys: CellKeys,
  { customerId, runIds }: { readonly customerId: string; readonly runIds: readonly string[] },
): Promise<void> {
  const { rows } = await source.query<SealedRow>(
    `
select run_id, sealed, sealed_key
from run_inputs
where customer_id = $1 and run_id = any($2::uuid[]) and sealed is not null`,
    [customerId, runIds],
  )
  if (rows.length === 0) return
  await keys.source.ensure(rows.map((row) => row.sealed_key))
  await updateSealed(
    target,
    customerId,
    rows.map((row) => reseal(keys, customerId, row)),
  )
}

function reseal(keys: CellKeys, customerId: string, { run_id: runId, sealed: bytes, sealed_key: keyId }: SealedRow) {
  const owner = { runId, customerId }
  return { runId, ...keys.target.keyring.seal(keys.source.keyring.open({ keyId, bytes }, owner), owner) }
}

type Resealed = ReturnType<typeof reseal>

async function updateSealed(target: pg.PoolClient, customerId: string, values: readonly Resealed[]): Promise<void> {
  await target.query(
    `
update run_inputs i
set sealed = v.sealed, sealed_key = v.sealed_key
from unnest($2::uuid[], $3::bytea[], $4::integer[]) as v(run_id, sealed, sealed_key)
where i.customer_id = $1 and i.run_id = v.run_id`,
    [customerId, values.map(({ runId }) => runId), values.map(({ bytes }) => bytes), values.map(({ keyId }) => keyId)],
  )
}
