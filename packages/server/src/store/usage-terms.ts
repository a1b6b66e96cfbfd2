// The summands of a usage query: totals of whole periods, deltas that are not folded yet, and records of hours that are cut.
import type { CutHour, WholePeriods } from '../domain/usage-parts.ts'
import type { UsageRange } from '../domain/usage-range.ts'
import { type LabelsTold, levelOf } from './usage-levels.ts'

export interface UsageSelection {
  readonly customerId: string
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly eventType: string | undefined
  /** Split by these; a label that is filtered by is told in any case. */
  readonly byWorkspace: boolean
  readonly bySubject: boolean
}

/** The summands of a question, each a query of its own, and the values that they have gathered. */
export class UsageTerms {
  readonly values: unknown[] = []
  readonly told: LabelsTold
  /** What every summand is filtered by. */
  readonly #filter: string
  readonly #workspace: string | undefined
  readonly #subject: string | undefined

  constructor({ customerId, eventType, workspaceId, subjectId, byWorkspace, bySubject }: UsageSelection) {
    this.told = { workspace: byWorkspace || workspaceId !== undefined, subject: bySubject || subjectId !== undefined }
    this.#filter = `customer_id = ${this.value(customerId)}`
    if (eventType !== undefined) this.#filter += ` and event_type = ${this.value(eventType)}`
    this.#workspace = workspaceId === undefined ? undefined : `workspace_id = ${this.value(workspaceId)}`
    this.#subject = subjectId === undefined ? undefined : `subject_id = ${this.value(subjectId)}`
  }

  value(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  totals({ grain, start, end }: WholePeriods): string {
    const level = levelOf(grain, this.told)
    // A label that the level leaves out is null in its rows; said here, it leads the index to them.
    const workspace = this.#workspace ?? (level === 'workspace' || level === 'both' ? 'true' : 'workspace_id is null')
    const subject = this.#subject ?? (level === 'subject' || level === 'both' ? 'true' : 'subject_id is null')
    return `
    select period, event_type, workspace_id, subject_id, count, quantity
    from usage_totals
    where ${this.#filter} and grain = '${grain}' and level = '${level}' and ${workspace} and ${subject}
      and ${this.#between('period', start, end)}`
  }

  deltas({ start, end }: UsageRange): string {
    return `
    select hour, event_type, workspace_id, subject_id, count, quantity
    from usage_deltas
    where ${this.#filter} and ${this.#labels} and ${this.#between('hour', start, end)}`
  }

  records({ start, end, sign }: CutHour): string {
    return `
    select at, event_type, workspace_id, subject_id, ${sign}, ${sign} * quantity
    from usage_records
    where ${this.#filter} and ${this.#labels} and ${this.#between('at', start, end)}`
  }

  get #labels(): string {
    return `${this.#workspace ?? 'true'} and ${this.#subject ?? 'true'}`
  }

  #between(column: string, start: string, end: string): string {
    return `${column} >= ${this.value(start)}::timestamptz and ${column} < ${this.value(end)}::timestamptz`
  }
}
