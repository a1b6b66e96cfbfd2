// A part of a customer's memory, by labels and kind.
import { type MemoryKind, memoryKinds } from '@runwright/contract'

/** Whose memory it is: the labels of a run. */
export interface MemoryScope {
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
}

export interface MemoryArea {
  readonly customerId: string
  /** Null means "no label". */
  readonly workspaceIds: readonly (string | null)[]
  readonly subjectIds: readonly (string | null)[]
  readonly kinds: readonly MemoryKind[]
}

/** What a run may see: items with its labels, and items without labels. */
export const areaInScope = ({ customerId, workspaceId, subjectId }: MemoryScope): MemoryArea => ({
  customerId,
  workspaceIds: [workspaceId, null],
  subjectIds: [subjectId, null],
  kinds: memoryKinds,
})

/** Items with the same labels and kind. */
export const areaOf = ({ customerId, workspaceId, subjectId, kind }: MemoryScope & { readonly kind: MemoryKind }) => ({
  customerId,
  workspaceIds: [workspaceId],
  subjectIds: [subjectId],
  kinds: [kind],
})

/** Takes `$1` to `$4`, as `areaValues` gives them. A label is never empty. */
export const inArea = `
where customer_id = $1
  and coalesce(workspace_id, '') = any($2::text[])
  and coalesce(subject_id, '') = any($3::text[])
  and kind = any($4::text[])
  and status = 'active'
  and not harness`

const labels = (ids: readonly (string | null)[]) => ids.map((id) => id ?? '')

export const areaValues = ({ customerId, workspaceIds, subjectIds, kinds }: MemoryArea) => [
  customerId,
  labels(workspaceIds),
  labels(subjectIds),
  kinds,
]
