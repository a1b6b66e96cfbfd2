// Reads usage by hour for the customer or for workspaces: a day's hours come in one row, and are added up here. The 96 rows
// of a day would take longer to send and to read than all the rest.
import { type CutHour, type UsageParts, usageParts } from '../../domain/usage/parts.ts'
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Database, Statement } from '../postgres/database.ts'
import { hoursOfDay, packedTypes, placeOf, placesOfDay } from './hours.ts'
import type { UsageQuestion, UsageTotal } from './question.ts'
import { UsageTerms } from './terms.ts'

/** With more rows than these the database adds up: many workspaces over a long range are not for this process's memory. */
const maxRows = 2_000

type HoursRow = {
  day: string
  workspace_id: string | null
  /** Of a number that is not in the totals; null in the row of a whole day. */
  place: number | null
  counts: string
  quantities: string
}

/** A number for each place of a day. */
interface DayOfHours {
  readonly counts: number[]
  readonly quantities: number[]
}

/** Nothing when the question is none for this way. */
export async function readUsageByHour(database: Database, question: UsageQuestion): Promise<UsageTotal[] | undefined> {
  const terms = new UsageTerms(question)
  if (question.granularity !== 'hour' || terms.told.subject) return undefined
  const parts = usageParts(question.range, 'hour', question.now)
  const rows = await database.query<HoursRow>(statementFor(terms, parts))
  if (rows.length > maxRows) return undefined
  return totalsOf(byDay(rows, parts.hours), question)
}

// One statement, so one snapshot: a delta that is being folded is seen as a delta or in the totals, never in both.
function statementFor(terms: UsageTerms, { hours, cuts }: Pick<UsageParts, 'hours' | 'cuts'>): Statement {
  const whole = hours.start < hours.end ? [daysIn(terms, hours), deltasIn(terms, hours)] : []
  const parts = [...whole, ...cuts.map((cut) => recordsIn(terms, cut))]
  return terms.statement(`${parts.join('\n  union all')}\n  limit ${maxRows + 1}`)
}

const daysIn = (terms: UsageTerms, hours: UsageRange): string => `
  select to_char(day, 'YYYY-MM-DD') as day, workspace_id, null::integer as place,
    counts::text as counts, quantities::text as quantities
  from usage_hours
  where ${terms.daysOfHours(hours)}`

const deltasIn = (terms: UsageTerms, hours: UsageRange): string => `
  select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, ${workspaceIn(terms)} as workspace_id,
    ${placeOf('hour', 'event_type')} as place, count::text as counts, quantity::text as quantities
  from (${terms.deltas(hours)}
  ) delta`

/** All of one hour. */
const recordsIn = (terms: UsageTerms, cut: CutHour): string => `
  select to_char(min(at) at time zone 'UTC', 'YYYY-MM-DD') as day, ${workspaceIn(terms)} as workspace_id,
    ${placeOf('min(at)', 'event_type')} as place, sum(count)::text as counts, sum(quantity)::text as quantities
  from (${terms.records(cut)}
  ) as record (at, event_type, workspace_id, subject_id, count, quantity)
  group by event_type, ${workspaceIn(terms)}`

const workspaceIn = (terms: UsageTerms): string => (terms.told.workspace ? 'workspace_id' : 'null::text')

type Workspaces = Map<string | null, DayOfHours>

function byDay(rows: readonly HoursRow[], hours: UsageRange): Map<string, Workspaces> {
  const days = new Map<string, Workspaces>()
  for (const row of rows) {
    const workspaces = days.get(row.day) ?? new Map<string | null, DayOfHours>()
    const found = workspaces.get(row.workspace_id)
    const day = row.place === null ? addAll(found, dayIn(row, hours)) : addOne(found ?? noHours(), row.place, row)
    days.set(row.day, workspaces.set(row.workspace_id, day))
  }
  return days
}

const noHours = (): DayOfHours => ({
  counts: new Array<number>(placesOfDay).fill(0),
  quantities: new Array<number>(placesOfDay).fill(0),
})

/** Without the hours outside of the range, which may take its first and its last day in part. */
function dayIn(row: HoursRow, { start, end }: UsageRange): DayOfHours {
  const day: DayOfHours = { counts: JSON.parse(row.counts), quantities: JSON.parse(row.quantities) }
  const firstHour = start.startsWith(row.day) ? hourOf(start) : 0
  const endHour = end.startsWith(row.day) ? hourOf(end) : hoursOfDay
  if (firstHour === 0 && endHour === hoursOfDay) return day
  const inside = (number: number, place: number): number =>
    place % hoursOfDay >= firstHour && place % hoursOfDay < endHour ? number : 0
  return { counts: day.counts.map(inside), quantities: day.quantities.map(inside) }
}

const hourOf = (instant: string): number => Number(instant.slice(11, 13))

function addAll(day: DayOfHours | undefined, other: DayOfHours): DayOfHours {
  if (!day) return other
  const sum = (numbers: readonly number[], others: readonly number[]) =>
    numbers.map((number, place) => number + (others[place] ?? 0))
  return { counts: sum(day.counts, other.counts), quantities: sum(day.quantities, other.quantities) }
}

function addOne(day: DayOfHours, place: number, { counts, quantities }: HoursRow): DayOfHours {
  day.counts[place] = (day.counts[place] ?? 0) + Number(counts)
  day.quantities[place] = (day.quantities[place] ?? 0) + Number(quantities)
  return day
}

/** In the order of the answer: by hour, event type and workspace. */
function totalsOf(days: ReadonlyMap<string, Workspaces>, question: UsageQuestion): UsageTotal[] {
  const totals: UsageTotal[] = []
  const types = typesInOrder.filter(({ eventType }) => (question.eventType ?? eventType) === eventType)
  for (const day of [...days.keys()].sort()) {
    const workspaces = [...(days.get(day) ?? [])].sort(byBytes)
    for (let hour = 0; hour < hoursOfDay; hour += 1) {
      const period = `${day}T${digitsOf[hour]}:00:00Z`
      for (const { eventType, firstPlace } of types) {
        for (const [workspaceId, { counts, quantities }] of workspaces) {
          const count = counts[firstPlace + hour] ?? 0
          if (count <= 0) continue
          const quantity = quantities[firstPlace + hour] ?? 0
          totals.push({ period, eventType, workspaceId, subjectId: null, count, quantity })
          if (totals.length === question.maxRows) return totals
        }
      }
    }
  }
  return totals
}

const digitsOf = Array.from({ length: hoursOfDay }, (_, hour) => String(hour).padStart(2, '0'))

const typesInOrder = [...packedTypes]
  .sort()
  .map((eventType) => ({ eventType, firstPlace: packedTypes.indexOf(eventType) * hoursOfDay }))

/** As the database sorts by "C", no label first. */
const byBytes = ([one]: readonly [string | null, unknown], [other]: readonly [string | null, unknown]): number =>
  one === null ? -1 : other === null ? 1 : Buffer.compare(Buffer.from(one), Buffer.from(other))
