// Finds stored values that have to be sealed, for the first time or with a newer key, and puts the sealed ones in their
// place. Every update names what it replaces: whoever comes second changes nothing.
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'
import { encodeJson } from '../postgres/encode-json.ts'
import type { StoredContent } from './content.ts'

export interface SealedRow extends SealedValue {
  readonly runId: string
  readonly customerId: string
}

/** Where the last look ended: rows that cannot be sealed must not keep the others from being seen. */
export interface SealedPosition {
  readonly keyId: number
  readonly runId: string
}

export const firstPosition: SealedPosition = { keyId: 0, runId: '00000000-0000-0000-0000-000000000000' }

/** Sealed with an older key than this one. */
export async function findSealedBefore(
  database: Database,
  keyId: number,
  page: { readonly after: SealedPosition; readonly limit: number },
): Promise<SealedRow[]> {
  const rows = await database.query<{ run_id: string; customer_id: string; sealed: Buffer; sealed_key: number }>({
    name: 'find-sealed-before',
    text: `
select run_id, customer_id, sealed, sealed_key
from run_inputs
where sealed_key > 0 and sealed_key < $1 and (sealed_key, run_id) > ($2, $3)
order by sealed_key, run_id
limit $4`,
    values: [keyId, page.after.keyId, page.after.runId, page.limit],
  })
  return rows.map((row) => ({
    runId: row.run_id,
    customerId: row.customer_id,
    keyId: row.sealed_key,
    bytes: row.sealed,
  }))
}

export interface Resealed {
  readonly runId: string
  readonly wasKeyId: number
  readonly sealed: SealedValue
}

/** How many were still sealed as they had been found. */
export async function replaceSealed(database: Database, values: readonly Resealed[]): Promise<number> {
  const rows = await database.query({
    name: 'replace-sealed',
    text: `
update run_inputs i
set sealed = v.sealed, sealed_key = v.sealed_key
from unnest($1::uuid[], $2::integer[], $3::bytea[], $4::integer[]) as v(run_id, was_key, sealed, sealed_key)
where i.run_id = v.run_id and i.sealed_key = v.was_key
returning 1`,
    values: [
      values.map(({ runId }) => runId),
      values.map(({ wasKeyId }) => wasKeyId),
      values.map(({ sealed }) => sealed.bytes),
      values.map(({ sealed }) => sealed.keyId),
    ],
  })
  return rows.length
}

export type UnsealedRow = StoredContent & { readonly attachment_refs: string | null }

/** Tagged runs from before values were sealed. */
export function findUnsealed(database: Database, after: string, limit: number): Promise<UnsealedRow[]> {
  return database.query<UnsealedRow>({
    name: 'find-unsealed',
    text: `
select run_id as id, customer_id, input, metadata, attachment_refs, sensitivity_tags, plan, sealed, sealed_key
from run_inputs
where sensitivity_tags is not null and sealed_key is null and run_id > $1
order by run_id
limit $2`,
    values: [after, limit],
  })
}

export interface FirstSealed {
  readonly runId: string
  readonly input: unknown
  readonly metadata: unknown
  readonly attachmentRefs: unknown
  readonly sensitivityTags: unknown
  readonly plan: unknown
  readonly sealed: SealedValue
}

export async function storeFirstSealed(database: Database, value: FirstSealed): Promise<number> {
  const rows = await database.query({
    name: 'store-first-sealed',
    text: `
update run_inputs
set input = $2, metadata = $3, attachment_refs = $4, sensitivity_tags = $5, plan = $6, sealed = $7, sealed_key = $8
where run_id = $1 and sealed_key is null
returning 1`,
    values: [
      value.runId,
      ...[value.input, value.metadata, value.attachmentRefs, value.sensitivityTags, value.plan].map(optionalJson),
      value.sealed.bytes,
      value.sealed.keyId,
    ],
  })
  return rows.length
}

const optionalJson = (value: unknown): string | null => (value === undefined ? null : encodeJson(value))

/** Looked at, and nothing in them was secret. */
export async function markNothingSecret(database: Database, runIds: readonly string[]): Promise<void> {
  await database.query({
    text: 'update run_inputs set sealed_key = 0 where run_id = any($1::uuid[]) and sealed_key is null',
    values: [runIds],
  })
}

/** How many values each data key has sealed, and how many tagged runs nobody has looked at yet. */
export async function countSealed(database: Database): Promise<{ byKey: Map<number, number>; unsealed: number }> {
  const rows = await database.query<{ sealed_key: number | null; count: number }>({
    text: `
select sealed_key, count(*)
from run_inputs
where sealed_key > 0
group by sealed_key
union all
select null, count(*)
from run_inputs
where sensitivity_tags is not null and sealed_key is null`,
  })
  const byKey = rows.flatMap(({ sealed_key, count }): [number, number][] => (sealed_key ? [[sealed_key, count]] : []))
  return { byKey: new Map(byKey), unsealed: rows.find(({ sealed_key }) => sealed_key === null)?.count ?? 0 }
}
