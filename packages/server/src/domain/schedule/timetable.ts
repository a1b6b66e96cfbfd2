// The ticks of a cron expression in a time zone. All of them are full minutes.
import { Cron } from 'croner'
import { ServiceError } from '../service-error.ts'

interface TimetableSource {
  readonly cron: string
  /** An IANA name. */
  readonly timeZone: string
}

export class Timetable {
  readonly #cron: Cron

  /** Throws if the expression or the time zone is not valid. */
  constructor({ cron, timeZone }: TimetableSource) {
    this.#cron = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
  }

  /** The first tick after this time. Undefined: there is none. */
  next(after: Date): Date | undefined {
    return this.#cron.nextRun(after) ?? undefined
  }

  /** The latest ticks up to this time and including it, oldest first. */
  latest(count: number, upTo: Date): Date[] {
    // Croner looks at whole seconds, and leaves out the reference itself.
    return this.#cron.previousRuns(count, new Date(upTo.getTime() + 1_000)).reverse()
  }
}

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
  throw invalid('cron: never fires, because no date matches all of its fields.')
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
    new Intl.DateTimeFormat('en', { timeZone })
    if (/^[A-Za-z]/.test(timeZone)) return
  } catch {
    // Not known.
  }
  throw invalid('time_zone: is not a known IANA time zone. Use a name such as Europe/Berlin or UTC.')
}

const invalid = (message: string) => new ServiceError('SCHEDULE_PAYLOAD_INVALID', message)
