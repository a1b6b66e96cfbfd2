// How a schedule is shown: its name, its expression and its state.
import { type ListedSchedule, visibleText } from '@runwright/contract'

type Named = Pick<ListedSchedule, 'name' | 'cron'>

export const scheduleName = ({ name, cron }: Named): string => (name === null ? cron : visibleText(name))

type Timed = Pick<ListedSchedule, 'cron' | 'time_zone'>

export function Expression({ cron, time_zone }: Timed) {
  return (
    <span className="text-sm text-muted">
      <span className="font-mono text-xs">{cron}</span> · {time_zone}
    </span>
  )
}

type State = Pick<ListedSchedule, 'paused' | 'last_error'>

export function ScheduleState({ paused, last_error }: State) {
  if (paused) return <span className="font-medium text-warn">paused</span>
  if (last_error !== null) return <span className="font-medium text-bad">refused</span>
  return <span className="font-medium text-good">active</span>
}

/** What becomes of ticks that the service missed. */
export const catchUpWords: Readonly<Record<string, string>> = {
  skip: 'Skip them',
  latest: 'One run, for the latest',
  all: 'A run for each, at most 100',
} satisfies Record<'skip' | 'latest' | 'all', string>
