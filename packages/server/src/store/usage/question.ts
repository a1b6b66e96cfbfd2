// What usage can be asked for, and what one row of the answer says.
import type { Granularity } from '@runwright/contract'
import type { UsageRange } from '../../domain/usage/range.ts'

export interface UsageSelection {
  readonly customerId: string
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly eventType: string | undefined
  /** Split by these; a label that is filtered by is told in any case. */
  readonly byWorkspace: boolean
  readonly bySubject: boolean
}

export interface UsageQuestion extends UsageSelection {
  readonly range: UsageRange
  readonly granularity: Granularity
  /** The database's clock; it only decides which rows are the cheapest to read. */
  readonly now: string
  readonly maxRows: number
}

export interface UsageTotal {
  readonly period: string
  readonly eventType: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly count: number
  readonly quantity: number
}
