// The form that creates a schedule.
import type { CreateScheduleRequest } from '@runwright/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { createRequest } from '../create/create-request.ts'
import { type CreateDraft, type DraftProblems, emptyDraft } from '../create/draft.ts'
import { useTools } from '../create/plan/use-tools.ts'
import { RequestFields } from '../create/request-fields.tsx'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { randomKey } from '../parts/random-key.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { fieldsOf, newSchedule } from './schedule-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'

export function CreateScheduleView() {
  const { can } = useSession()
  return (
    <Page title="Create a schedule">
      {can('runs:write') ? (
        <CreateScheduleForm />
      ) : (
        <MissingScope scope="runs:write" allows="create schedules, whose runs it would create" />
      )}
    </Page>
  )
}

const emptyRequest: CreateDraft = {
  ...emptyDraft,
  input: '{\n  "goal": "Summarize the tickets of yesterday."\n}',
  runClass: 'default',
}

const useCreateSchedule = () => {
  const { client } = useSession()
  const [idempotencyKey] = useState(randomKey)
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (body: CreateScheduleRequest) => client.schedules.create(body, { idempotencyKey }),
    onSuccess: async ({ schedule }) => {
      announce('The schedule is created.')
      void queries.invalidateQueries({ queryKey: ['schedules'] })
      await navigate({ to: '/schedules/$scheduleId', params: { scheduleId: schedule.id } })
    },
  })
}

function CreateScheduleForm() {
  const [draft, setDraft] = useState(newSchedule)
  const [request, setRequest] = useState(emptyRequest)
  const [problems, setProblems] = useState<DraftProblems>({})
  const create = useCreateSchedule()
  const tools = useTools()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const result = createRequest(request, { tools })
    setProblems('problems' in result ? result.problems : {})
    if ('request' in result) create.mutate({ ...fieldsOf(draft), run: result.request })
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Panel title="When">
        <ScheduleFields draft={draft} onDraft={setDraft} />
      </Panel>
      <Panel title="The run that each tick creates">
        <div className="flex flex-col gap-4">
          <RequestFields draft={request} onDraft={setRequest} problems={problems} />
        </div>
      </Panel>
      {create.error && <Problem error={create.error} />}
      <Button type="submit" variant="primary" className="self-start" disabled={create.isPending}>
        {create.isPending ? 'Creating…' : 'Create schedule'}
      </Button>
    </form>
  )
}
