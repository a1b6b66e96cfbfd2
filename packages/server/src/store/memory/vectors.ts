// Reads the vectors of a customer page by page, in the order of their changes.
import type { MemoryKind } from '@runwright/contract'
import type { MemoryReader } from './reader.ts'
import { fromVectorBytes } from './vector-bytes.ts'

/** Where a reader stands: everything up to here is known. */
export interface VectorPosition {
  readonly version: number
  readonly id: string
}

export const beginning: VectorPosition = { version: -1, id: '00000000-0000-0000-0000-000000000000' }

export interface VectorChange extends VectorPosition {
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly kind: MemoryKind
  /** Undefined when the item is no longer active, or has no embedding of this model. */
  readonly vector: Float32Array | undefined
}

interface VectorPage {
  readonly customerId: string
  readonly model: string
  readonly after: VectorPosition
}

/** Small enough not to hold up the event loop: 1 MB of hexadecimal text for vectors of 512 numbers. */
export const vectorPageSize = 250

export type VectorChangeRow = {
  id: string
  version: number
  workspace_id: string | null
  subject_id: string | null
  kind: MemoryKind
  bytes: Buffer | null
}

export async function readVectorChanges(reader: MemoryReader, page: VectorPage): Promise<VectorChange[]> {
  const { customerId, model, after } = page
  const rows = await reader.query<VectorChangeRow>({
    name: 'read-vector-changes',
    text: `
select id, version, workspace_id, subject_id, kind,
  case when status = 'active' and embedding_model = $2 then embedding_bytes end as bytes
from memory_items
where customer_id = $1
  and not harness
  and (version, id) > ($3, $4)
order by version, id
limit $5`,
    values: [customerId, model, after.version, after.id, vectorPageSize],
  })
  return rows.map(toVectorChange)
}

export const toVectorChange = ({
  id,
  version,
  workspace_id,
  subject_id,
  kind,
  bytes,
}: VectorChangeRow): VectorChange => ({
  id,
  version,
  workspaceId: workspace_id,
  subjectId: subject_id,
  kind,
  vector: bytes ? fromVectorBytes(bytes) : undefined,
})
