// Changes a schedule. The body of its run is sent only if a person asks for it: what the page shows of it is masked.
import type { CreateRunRequest, UpdateScheduleRequest } from '@runwright/client'
import type { Schedule } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { createRequest } from '../create/create-request.ts'
import type { DraftProblems } from '../create/draft.ts'
import { draftOf } from '../create/draft-of-request.ts'
import { useTools } from '../create/plan/use-tools.ts'
import { RequestFields } from '../create/request-fields.tsx'
import { Button } from '../parts/controls/button.tsx'
import { linkButton } from '../parts/controls/link-button.ts'
import { Problem } from '../parts/errors/problem.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { hasMask } from '../parts/mask.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { useSession } from '../session/session.ts'
import { changesOf, nameProblemOf, scheduleDraftOf } from './schedule-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'

const useChange = ({ id }: Schedule) => {
  const { client } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = () => navigate({ to: '/schedules/$scheduleId', params: { scheduleId: id } })
  const change = useMutation({
    mutationFn: (request: UpdateScheduleRequest) => client.schedules.update(id, request),
    onSuccess: async (result) => {
      announce('The schedule is changed.')
      queries.setQueryData(['schedules', id], result)
      void queries.invalidateQueries({ queryKey: ['schedules'] })
      await leave()
    },
  })
  return { change, leave }
}

export function EditSchedule({ schedule }: { readonly schedule: Schedule }) {
  const [draft, setDraft] = useState(() => scheduleDraftOf(schedule))
  const [request, setRequest] = useState(() => draftOf(schedule.run as unknown as CreateRunRequest))
  const [isRunChanged, setRunChanged] = useState(false)
  const [problems, setProblems] = useState<DraftProblems>({})
  const { change, leave } = useChange(schedule)
  const tools = useTools()
  const keptFocus = useKeptFocus<HTMLFormElement>()
  const nameProblem = nameProblemOf(draft, schedule)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (nameProblem !== undefined)
      return event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    const result = isRunChanged ? createRequest(request, { tools, isMasked: hasMask(schedule.run) }) : undefined
    setProblems(result && 'problems' in result ? result.problems : {})
    if (result && 'problems' in result) return
    const changes = { ...changesOf(draft, schedule), ...(result && { run: result.request }) }
    if (Object.keys(changes).length === 0) void leave()
    else change.mutate(changes)
  }
  return (
    <form {...keptFocus} tabIndex={-1} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Panel title="When">
        <ScheduleFields draft={draft} onDraft={setDraft} nameProblem={nameProblem} />
      </Panel>
      <Panel title="The run that each tick creates">
        <label className="flex items-start gap-2.5">
          <input
            type="checkbox"
            className="mt-1 size-4 accent-accent"
            checked={isRunChanged}
            onChange={(event) => setRunChanged(event.target.checked)}
          />
          <span>
            Replace it
            <span className="block text-sm text-muted">
              The whole body is replaced. Values shown as *** are masked: enter them again.
            </span>
          </span>
        </label>
        {isRunChanged && (
          <div className="mt-4 flex flex-col gap-4">
            <RequestFields draft={request} onDraft={setRequest} problems={problems} />
          </div>
        )}
      </Panel>
      {change.error && <Problem error={change.error} />}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" disabled={change.isPending}>
          {change.isPending ? 'Saving…' : 'Save changes'}
        </Button>
        <Link to="/schedules/$scheduleId" params={{ scheduleId: schedule.id }} className={linkButton('plain')}>
          Discard
        </Link>
      </div>
    </form>
  )
}
