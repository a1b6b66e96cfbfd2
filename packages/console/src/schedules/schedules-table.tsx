// The table of schedules.
import type { ListedSchedule } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Age } from '../parts/values/duration.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'
import { Expression, ScheduleState, scheduleName } from './schedule-words.tsx'
import { usePause } from './use-pause.ts'

export function SchedulesTable({ schedules }: { readonly schedules: readonly ListedSchedule[] }) {
  const { can } = useSession()
  const pause = usePause()
  const columns: readonly [Column<ListedSchedule>, ...Column<ListedSchedule>[]] = [
    { name: 'Schedule', cell: (schedule) => <Name schedule={schedule} /> },
    { name: 'State', cell: (schedule) => <ScheduleState {...schedule} /> },
    { name: 'Next run', from: 'sm', cell: ({ next_at }) => (next_at === null ? 'none' : <Instant at={next_at} />) },
    { name: 'Last run', from: 'md', cell: (schedule) => <LastRun {...schedule} /> },
    { name: 'Missed', from: 'lg', isNumeric: true, cell: ({ missed }) => missed },
    ...(can('runs:write')
      ? [
          {
            name: 'Actions',
            cell: (schedule: ListedSchedule) => (
              <PauseButton schedule={schedule} isPending={pause.isPending} onPause={() => pause.mutate(schedule)} />
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      {pause.error && <Problem error={pause.error} />}
      <DataTable caption="Schedules" columns={columns} rows={schedules} keyOf={({ id }) => id} />
    </>
  )
}

function Name({ schedule }: { readonly schedule: ListedSchedule }) {
  return (
    <span className="flex min-w-36 flex-col">
      <Link
        to="/schedules/$scheduleId"
        params={{ scheduleId: schedule.id }}
        className="w-fit font-medium text-accent underline wrap-anywhere"
      >
        {scheduleName(schedule)}
      </Link>
      <Expression {...schedule} />
    </span>
  )
}

function LastRun({ last_at, last_run_id }: Pick<ListedSchedule, 'last_at' | 'last_run_id'>) {
  if (last_at === null) return <span className="text-muted">none yet</span>
  if (last_run_id === null) return <Age at={last_at} />
  return (
    <Link to="/runs/$runId" params={{ runId: last_run_id }} className="text-accent underline">
      <Age at={last_at} />
    </Link>
  )
}

interface PauseButtonProps {
  readonly schedule: ListedSchedule
  readonly isPending: boolean
  readonly onPause: () => void
}

export function PauseButton({ schedule, isPending, onPause }: PauseButtonProps) {
  const verb = schedule.paused ? 'Resume' : 'Pause'
  return (
    <Button
      // Not `disabled`, which would take the focus away.
      aria-disabled={isPending}
      aria-label={`${verb} ${scheduleName(schedule)}`}
      onClick={() => !isPending && onPause()}
    >
      {verb}
    </Button>
  )
}
