// The ticks of a cron expression in a time zone. All of them are full minutes.
//
// A customer chooses the expression, so the search for a tick is bounded. Croner by itself looks through 400 years for
// one that never comes, and through each minute of an hour that clocks skip. So it is told which years to look at:
// first this one and the next, and then only those that have a date of the expression.
import { Cron } from 'croner'
import { ServiceError } from '../service-error.ts'

interface TimetableSource {
  readonly cron: string
  /** An IANA name. */
  readonly timeZone: string
}

/** Every date comes within this time: a 29 February on a Monday every 28 years, and after 40 years around 2100. */
const searchedYears = 41
/** If clocks skip the times of so many dates, they always do. */
const maxDates = 3

const dayMs = 86_400_000

type Zone = { readonly timezone: string } | { readonly utcOffset: number }

export class Timetable {
  readonly #cron: string
  readonly #zone: Zone

  /** Throws if the expression or the time zone is not valid. */
  constructor({ cron, timeZone }: TimetableSource) {
    this.#cron = cron
    this.#zone = { timezone: canonicalZone(timeZone) }
    new Cron(cron, { ...this.#zone, mode: '5-part', paused: true })
  }

  /** The first tick after this time. Undefined: there is none. */
  next(after: Date): Date | undefined {
    const year = after.getUTCFullYear()
    return inYears(this.#cron, [year - 1, year + 1], this.#zone).nextRun(after) ?? this.#nextLater(after)
  }

  /** The ticks from one time back to another, latest first; both times are included. */
  *backwards(from: Date, to: Date): Generator<Date, void> {
    const cron = inYears(this.#cron, [to.getUTCFullYear() - 1, from.getUTCFullYear() + 1], this.#zone)
    // Croner looks at whole seconds, and leaves out the reference itself.
    let [tick] = cron.previousRuns(1, new Date(from.getTime() + 1_000))
    for (; tick && tick >= to; [tick] = cron.previousRuns(1, tick)) yield tick
  }

  /** For an expression that has no tick this year and the next. */
  #nextLater(after: Date): Date | undefined {
    const [, , ...date] = this.#cron.trim().split(/\s+/)
    const firstYear = after.getUTCFullYear() + 1
    const dates = inYears(`0 0 ${date.join(' ')}`, [firstYear, firstYear + searchedYears], { utcOffset: 0 })
    let day = dates.nextRun(after)
    for (let tried = 0; day && tried < maxDates; tried += 1) {
      const year = day.getUTCFullYear()
      const tick = inYears(this.#cron, [year, year], this.#zone).nextRun(after)
      if (tick) return tick
      day = dates.nextRun(new Date(Date.UTC(year + 1, 0, 1) - dayMs))
    }
    return undefined
  }
}

/** The expression, limited to some years. They count in its zone. */
const inYears = (cron: string, [first, last]: readonly [number, number], zone: Zone): Cron =>
  new Cron(`0 ${cron} ${first}-${last}`, { ...zone, mode: '7-part', paused: true })

/** Throws a `ServiceError` that names the field. */
export function readTimetable(source: TimetableSource, now: Date): Timetable {
  checkTimeZone(source.timeZone)
  if (source.cron.trim().split(/\s+/).length !== 5) {
    throw invalid(
      'cron: must have five fields: minute, hour, day of the month, month, day of the week. Seconds, years and names such as @daily are not supported.',
    )
  }
  const timetable = parse(source)
  if (timetable.next(now)) return timetable
  throw invalid('cron: never fires, because no date matches all of its fields, or clocks skip its times.')
}

function parse(source: TimetableSource): Timetable {
  try {
    return new Timetable(source)
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^CronPattern: /, '').replace(/\.$/, '') : ''
    throw invalid(`cron: is not a valid cron expression. ${problem}.`)
  }
}

/** Newer versions of Node also accept offsets such as +02:00, which are not names. */
function checkTimeZone(timeZone: string): void {
  try {
    canonicalZone(timeZone)
    if (/^[A-Za-z]/.test(timeZone)) return
  } catch {
    // Not known.
  }
  throw invalid('time_zone: is not a known IANA time zone. Use a name such as Europe/Berlin or UTC.')
}

/** Case does not matter in a name. Croner keeps a formatter for each spelling, and there are very many. */
const canonicalZone = (timeZone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

const invalid = (message: string) => new ServiceError('SCHEDULE_PAYLOAD_INVALID', message)
