// A question about usage, and one row of the answer.
import type { Granularity } from '@runwright/contract'
import type { UsageRange } from '../../domain/usage/range.ts'

export interface UsageSelection {
  readonly customerId: string
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly eventType: string | undefined
  /** Split by these labels. A label that is filtered by is always part of the answer. */
  readonly byWorkspace: boolean
  readonly bySubject: boolean
}

export interface UsageQuestion extends UsageSelection {
  readonly range: UsageRange
  readonly granularity: Granularity
  /** The database's clock. It only decides which rows are the cheapest to read. */
  readonly now: string
  readonly maxRows: number
  readonly maxBytes: number
}

export interface UsageTotal {
  readonly period: string
  readonly eventType: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly count: number
  readonly quantity: number
}
