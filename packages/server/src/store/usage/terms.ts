// The summands of a usage query: totals of whole periods, deltas that are not folded yet, and records of partial hours.
import type { CutHour, WholePeriods } from '../../domain/usage/parts.ts'
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Statement } from '../postgres/database.ts'
import { type LabelsTold, levelOf, type UsageLevel } from './levels.ts'
import type { UsageSelection } from './question.ts'

const names = new Map<string, string>()

/** The summands of a question, each a separate query, and the values that they refer to. */
export class UsageTerms {
  readonly values: unknown[] = []
  readonly told: LabelsTold
  readonly #customer: string
  readonly #eventType: string
  readonly #workspace: string | undefined
  readonly #subject: string | undefined

  constructor({ customerId, eventType, workspaceId, subjectId, byWorkspace, bySubject }: UsageSelection) {
    this.told = { workspace: byWorkspace || workspaceId !== undefined, subject: bySubject || subjectId !== undefined }
    this.#customer = `customer_id = ${this.value(customerId)}`
    this.#eventType = eventType === undefined ? 'true' : `event_type = ${this.value(eventType)}`
    this.#workspace = workspaceId === undefined ? undefined : `workspace_id = ${this.value(workspaceId)}`
    this.#subject = subjectId === undefined ? undefined : `subject_id = ${this.value(subjectId)}`
  }

  value(value: unknown): string {
    return `$${this.values.push(value)}`
  }

  totals({ grain, start, end }: WholePeriods): string {
    const level = levelOf(this.told)
    return `
    select period, event_type, workspace_id, subject_id, count, quantity
    from usage_totals
    where ${this.#customer} and grain = '${grain}' and ${this.#ofLevel(level)} and ${this.#subjectOfLevel(level)}
      and ${this.#eventType} and ${this.#between('period', start, end)}`
  }

  /** What is not folded yet. */
  deltas({ start, end }: UsageRange): string {
    return `
    select hour, event_type, workspace_id, subject_id, count, quantity
    from usage_deltas
    where ${this.#recorded} and ${this.#between('hour', start, end)}`
  }

  /**
   * The part of an hour that the range includes, or with a negative sign the part that it leaves out. The usage of
   * removed runs counts at the beginning of its hour.
   */
  records({ start, end, sign }: CutHour): string {
    return `
    select at, event_type, workspace_id, subject_id, ${sign} * count, ${sign} * quantity
    from counted_usage
    where ${this.#recorded} and ${this.#between('at', start, end)}`
  }

  /** Questions of one kind have the same text, so each kind is planned once per connection. */
  statement(text: string): Statement {
    const name = names.get(text) ?? `usage-${names.size + 1}`
    names.set(text, name)
    return { name, text, values: this.values }
  }

  // A label that the level does not name is null in its rows. With that condition the index leads to them.
  #ofLevel(level: UsageLevel): string {
    return `level = '${level}' and ${this.#workspace ?? (level === 'customer' ? 'workspace_id is null' : 'true')}`
  }

  #subjectOfLevel(level: UsageLevel): string {
    return this.#subject ?? (level === 'both' ? 'true' : 'subject_id is null')
  }

  get #recorded(): string {
    return `${this.#customer} and ${this.#eventType} and ${this.#workspace ?? 'true'} and ${this.#subject ?? 'true'}`
  }

  #between(column: string, start: string, end: string): string {
    return `${column} >= ${this.value(start)}::timestamptz and ${column} < ${this.value(end)}::timestamptz`
  }
}
