// The page of a schedule: when it fires, what it creates, and the runs that it has created.
import type { Schedule } from '@runwright/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { ConfirmDialog } from '../parts/controls/confirm-dialog.tsx'
import { linkButton } from '../parts/controls/link-button.ts'
import { Problem } from '../parts/errors/problem.tsx'
import { type Fact, Facts } from '../parts/layout/facts.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { Code } from '../parts/values/code.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { readable } from '../parts/values/readable.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { EditSchedule } from './edit-schedule.tsx'
import { NextTicks } from './next-ticks.tsx'
import { ScheduleRuns } from './schedule-runs.tsx'
import { catchUpWords, Expression, ScheduleState, scheduleName } from './schedule-words.tsx'
import { PauseButton } from './schedules-table.tsx'
import { usePause } from './use-pause.ts'

const route = getRouteApi('/schedules/$scheduleId')

export function SchedulePage() {
  const { scheduleId } = route.useParams()
  const { can } = useSession()
  if (can('runs:read')) return <ScheduleView key={scheduleId} id={scheduleId} />
  return (
    <Page title="Schedule">
      <MissingScope scope="runs:read" allows="see schedules" />
    </Page>
  )
}

function ScheduleView({ id }: { readonly id: string }) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['schedules', id],
    queryFn: ({ signal }) => client.schedules.get(id, { signal }),
    refetchInterval: 15_000,
  })
  if (data) return <LoadedSchedule schedule={data.schedule} />
  return (
    <Page title="Schedule">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading what="the schedule" />}
      <Link to="/schedules" className="text-accent underline">
        All schedules
      </Link>
    </Page>
  )
}

function LoadedSchedule({ schedule }: { readonly schedule: Schedule }) {
  const { edit } = route.useSearch()
  const { can } = useSession()
  const actions = can('runs:write') && edit === undefined ? <Actions schedule={schedule} /> : undefined
  return (
    <Page title={scheduleName(schedule)} beside={<ScheduleState {...schedule} />} actions={actions}>
      <p className="-mt-3">
        <Expression {...schedule} />
      </p>
      {edit ? <EditSchedule schedule={schedule} /> : <Shown schedule={schedule} />}
    </Page>
  )
}

function Actions({ schedule }: { readonly schedule: Schedule }) {
  const { client } = useSession()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const pause = usePause()
  const keptFocus = useKeptFocus<HTMLDivElement>()
  const deleted = () => {
    // As long as it is open, the next page cannot have the focus.
    setDeleting(false)
    announce(`Deleted ${scheduleName(schedule)}.`)
    void queries.invalidateQueries({ queryKey: ['schedules', 'list'] })
    void navigate({ to: '/schedules' })
  }
  return (
    <div {...keptFocus} tabIndex={-1} className="flex flex-wrap items-center gap-2">
      {pause.error && <Problem error={pause.error} />}
      <PauseButton schedule={schedule} isPending={pause.isPending} onPause={() => pause.mutate(schedule)} />
      <Link
        to="/schedules/$scheduleId"
        params={{ scheduleId: schedule.id }}
        search={{ edit: 'yes' }}
        className={linkButton('plain')}
      >
        Change
      </Link>
      <Button variant="danger" className="ml-4" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete the schedule?"
        isOpen={isDeleting}
        doLabel="Delete schedule"
        action={() => client.schedules.delete(schedule.id)}
        onClose={() => setDeleting(false)}
        onDone={deleted}
      >
        {scheduleName(schedule)} creates no more runs. The runs that it has created stay. This cannot be undone; to stop
        it for a while, pause it.
      </ConfirmDialog>
    </div>
  )
}

const factsOf = ({ catch_up, missed, last_at, created_at, updated_at, id }: Schedule): readonly Fact[] => [
  { name: 'Missed ticks', value: catchUpWords[catch_up] ?? readable(catch_up) },
  { name: 'Missed so far', value: missed },
  { name: 'Last tick', value: last_at === null ? 'none yet' : <Instant at={last_at} /> },
  { name: 'Created', value: <Instant at={created_at} /> },
  { name: 'Changed', value: updated_at === created_at ? 'never' : <Instant at={updated_at} /> },
  { name: 'Id', value: <span className="font-mono text-xs">{id}</span> },
]

function Shown({ schedule }: { readonly schedule: Schedule }) {
  const { last_error, paused, cron, time_zone } = schedule
  return (
    <>
      {last_error !== null && (
        <Panel title="The latest tick has created no run" tone="bad" aside={<Instant at={last_error.at} />}>
          <p className="wrap-anywhere">{last_error.message}</p>
          <p className="font-mono text-xs text-muted">{last_error.reason_code}</p>
        </Panel>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel title="Next ticks">
          {paused ? (
            <p className="text-muted">
              None: the schedule is paused. When it is resumed, it goes on with the next tick.
            </p>
          ) : (
            <NextTicks cron={cron} timeZone={time_zone} />
          )}
        </Panel>
        <Panel title="About">
          <Facts facts={factsOf(schedule)} />
        </Panel>
      </div>
      <ScheduleRuns id={schedule.id} />
      <Panel title="The run that each tick creates">
        <Code value={schedule.run} label="The body of the run" />
      </Panel>
    </>
  )
}
