// The summands of a usage query: totals of whole periods, deltas that are not folded yet, and records of hours that are cut.

import type { CutHour, WholePeriods } from '../../domain/usage/parts.ts'
import { periodCeiling } from '../../domain/usage/period.ts'
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Statement } from '../postgres/database.ts'
import { unpackedHours } from './hours.ts'
import { type LabelsTold, levelOf, type UsageLevel } from './levels.ts'
import type { UsageSelection } from './question.ts'

const names = new Map<string, string>()

/** The summands of a question, each a query of its own, and the values that they have gathered. */
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
    const level = levelOf(grain, this.told)
    if (grain === 'hour' && level !== 'both') return this.#unpacked({ start, end })
    return `
    select period, event_type, workspace_id, subject_id, count, quantity
    from usage_totals
    where ${this.#customer} and grain = '${grain}' and ${this.#ofLevel(level)} and ${this.#subjectOfLevel(level)}
      and ${this.#eventType} and ${this.#between('period', start, end)}`
  }

  /** Where hours of the customer or of workspaces are kept: the rows of the days that the range touches. */
  daysOfHours({ start, end }: UsageRange): string {
    const firstDay = this.value(start.slice(0, 10))
    const dayAfter = this.value(periodCeiling('day', end).slice(0, 10))
    return `${this.#customer} and ${this.#ofLevel(levelOf('hour', this.told))}
      and day >= ${firstDay}::date and day < ${dayAfter}::date`
  }

  /** What nobody has folded yet. */
  deltas({ start, end }: UsageRange): string {
    return `
    select hour, event_type, workspace_id, subject_id, count, quantity
    from usage_deltas
    where ${this.#recorded} and ${this.#between('hour', start, end)}`
  }

  /** What an hour that is cut has on one side. */
  records({ start, end, sign }: CutHour): string {
    return `
    select at, event_type, workspace_id, subject_id, ${sign}, ${sign} * quantity
    from usage_records
    where ${this.#recorded} and ${this.#between('at', start, end)}`
  }

  /** Questions of one kind share their text, and there are only so many kinds: each is planned once per connection. */
  statement(text: string): Statement {
    const name = names.get(text) ?? `usage-${names.size + 1}`
    names.set(text, name)
    return { name, text, values: this.values }
  }

  #unpacked(range: UsageRange): string {
    return `
    select period, event_type, workspace_id, null, count, quantity
    from (${unpackedHours(this.daysOfHours(range))}) unpacked
    where ${this.#eventType} and ${this.#between('period', range.start, range.end)}`
  }

  // A label that the level leaves out is null in its rows; said here, it leads the index to them.
  #ofLevel(level: UsageLevel): string {
    const tells = level === 'workspace' || level === 'both'
    return `level = '${level}' and ${this.#workspace ?? (tells ? 'true' : 'workspace_id is null')}`
  }

  #subjectOfLevel(level: UsageLevel): string {
    return this.#subject ?? (level === 'subject' || level === 'both' ? 'true' : 'subject_id is null')
  }

  get #recorded(): string {
    return `${this.#customer} and ${this.#eventType} and ${this.#workspace ?? 'true'} and ${this.#subject ?? 'true'}`
  }

  #between(column: string, start: string, end: string): string {
    return `${column} >= ${this.value(start)}::timestamptz and ${column} < ${this.value(end)}::timestamptz`
  }
}
