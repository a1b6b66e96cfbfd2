// What the memory page shows, as its URL has it: `#/memory?status=active&kind=fact`.
import { type MemoryKind, type MemoryStatus, memoryKinds, memoryStatuses } from '@runwright/contract'

export interface MemorySearch {
  readonly workspace_id?: string
  readonly subject_id?: string
  readonly status?: MemoryStatus
  readonly kind?: MemoryKind
  /** The item that is read. */
  readonly item?: string
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Drops what the page does not know. */
export const memorySearchOf = (search: Record<string, unknown>): MemorySearch => {
  const workspace_id = text(search.workspace_id)
  const subject_id = text(search.subject_id)
  const status = memoryStatuses.find((known) => known === search.status)
  const kind = memoryKinds.find((known) => known === search.kind)
  const item = text(search.item)
  return {
    ...(workspace_id && { workspace_id }),
    ...(subject_id && { subject_id }),
    ...(status && { status }),
    ...(kind && { kind }),
    ...(item && { item }),
  }
}

/** The query of the API. It has no filter by kind; episodes are only listed if they are asked for. */
export const memoryQueryOf = ({ workspace_id, subject_id, status, kind }: MemorySearch) => ({
  ...(workspace_id && { workspace_id }),
  ...(subject_id && { subject_id }),
  ...(status && { status }),
  ...(kind === 'episode' && { include_harness: true }),
})
