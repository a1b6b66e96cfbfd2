// The form that creates a run. The idempotency key stays the same until a run is created, so submitting twice does not
// create a second run.
import type { CreateRunRequest } from '@runwright/client'
import { type Course, courses, type RunClass, runClasses } from '@runwright/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { randomKey } from '../parts/random-key.ts'
import { againRequest } from '../run/again-request.ts'
import { useSession } from '../session/session.ts'
import { CodePanel } from './code-panel.tsx'
import { TextField } from './create-fields.tsx'
import { createRequest } from './create-request.ts'
import { type CreateDraft, type DraftProblems, emptyDraft } from './draft.ts'
import { draftOf } from './draft-of-request.ts'
import { exampleInput } from './example-input.ts'
import { useTools } from './plan/use-tools.ts'
import { RequestFields } from './request-fields.tsx'

const newDraft: CreateDraft = { ...emptyDraft, input: exampleInput, runClass: runClasses[0] }

const useCreate = () => {
  const { client } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: ({ request, idempotencyKey }: { request: CreateRunRequest; idempotencyKey: string }) =>
      client.runs.create(request, { idempotencyKey }),
    onSuccess: async (run) => {
      void queries.invalidateQueries({ queryKey: ['runs'] })
      if (!run.replayed) await navigate({ to: '/runs/$runId', params: { runId: run.id } })
    },
  })
}

const route = getRouteApi('/create')

export function CreateView() {
  const { from, run_class } = route.useSearch()
  if (from === undefined) return <CreateForm key="new" first={newDraft} />
  return <CreateFrom key={from} runId={from} runClass={run_class} />
}

interface CreateFromProps {
  readonly runId: string
  readonly runClass: RunClass | undefined
}

/** The form with the request of another run. */
function CreateFrom({ runId, runClass }: CreateFromProps) {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['run-request', runId],
    queryFn: async ({ signal }) => {
      const [run, page] = await Promise.all([
        client.runs.get(runId, { include: ['input', 'plan'], signal }),
        client.events.poll(runId, { limit: 1, signal }),
      ])
      const [first] = page.events
      const created = first?.type === 'run.created' ? first.payload.value : undefined
      const sent = run.input ?? { input: {}, metadata: {}, attachment_refs: [] }
      return againRequest({ run, sent, created, ...(runClass && { runClass }) })
    },
  })
  if (data) return <CreateForm first={draftOf(data.request)} from={runId} isMasked={data.isMasked} />
  return (
    <Page title="New run">
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the run" />}
    </Page>
  )
}

interface CreateFormProps {
  readonly first: CreateDraft
  readonly from?: string
  readonly isMasked?: boolean
}

function CreateForm({ first, from, isMasked = false }: CreateFormProps) {
  const [draft, setDraft] = useState(first)
  const [course, setCourse] = useState<string>()
  const [idempotencyKey, setKey] = useState(randomKey)
  const create = useCreate()
  // As it is typed.
  const result = createRequest(draft, { tools: useTools(), isMasked })
  const problems: DraftProblems = 'problems' in result ? result.problems : {}
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if ('problems' in result) event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    else create.mutate({ request: result.request, idempotencyKey })
  }
  const choose = ({ name, request }: Course) => {
    setCourse(name)
    setDraft(draftOf(request))
  }
  return (
    <Page title="New run">
      {from === undefined ? (
        <CourseList chosen={course} onChoose={choose} />
      ) : (
        <Origin runId={from} isMasked={isMasked} />
      )}
      <form onSubmit={submit} noValidate className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <RequestFields draft={draft} onDraft={setDraft} problems={problems} />
        <TextField
          label="Idempotency key"
          hint="Generated here. The same key with the same request never creates a second run."
          value={idempotencyKey}
          onChange={setKey}
        />
        {create.error && <Problem error={create.error} />}
        {create.data?.replayed && <Replayed id={create.data.id} onNewKey={() => setKey(randomKey())} />}
        <Button type="submit" variant="primary" className="self-start" disabled={create.isPending}>
          {create.isPending ? 'Creating…' : 'Create run'}
        </Button>
      </form>
      {'request' in result && <CodePanel request={result.request} />}
    </Page>
  )
}

function Origin({ runId, isMasked }: { readonly runId: string; readonly isMasked: boolean }) {
  return (
    <div className="flex flex-col gap-1">
      <p>
        The request of{' '}
        <Link to="/runs/$runId" params={{ runId }} className="font-mono text-sm text-accent underline wrap-anywhere">
          {runId}
        </Link>
        . Change what you like.
      </p>
      {isMasked && (
        <p role="status" className="rounded-md border border-warn/40 bg-warn/10 px-3 py-2">
          Values shown as *** are masked. Enter them again: the run is not created with the asterisks. Each has a tag
          below, as personal data: choose another kind where it is something else.
        </p>
      )}
    </div>
  )
}

function Replayed({ id, onNewKey }: { readonly id: string; readonly onNewKey: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-md border border-warn/40 bg-warn/10 px-3 py-2"
    >
      <p>
        This key was already used, so no new run was created:{' '}
        <Link to="/runs/$runId" params={{ runId: id }} className="font-mono text-sm underline wrap-anywhere">
          {id}
        </Link>
      </p>
      <Button onClick={onNewKey}>Generate a new key</Button>
    </div>
  )
}

interface CourseListProps {
  readonly chosen: string | undefined
  readonly onChoose: (course: Course) => void
}

/** The courses to pick from: each one fills the form. */
function CourseList({ chosen, onChoose }: CourseListProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">Start from a sandbox course: no model and no key are needed</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {courses.map((course) => (
          <button
            key={course.name}
            type="button"
            aria-pressed={course.name === chosen}
            onClick={() => onChoose(course)}
            className="flex flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3 text-left hover:border-accent aria-pressed:border-accent aria-pressed:bg-accent/8"
          >
            <span className="font-medium">{course.title}</span>
            <span className="text-sm text-muted">{course.description}</span>
          </button>
        ))}
      </div>
    </fieldset>
  )
}
