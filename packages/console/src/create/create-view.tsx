// The form that creates a run. The idempotency key stays the same until a run is created, so submitting twice does not
// create a second run.
import type { CreateRunRequest } from '@runwright/client'
import { routingHints, runClasses } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { randomKey } from '../parts/random-key.ts'
import { useSession } from '../session/session.ts'
import { JsonField, SelectField, TextField } from './create-fields.tsx'
import { type CreateDraft, createRequest, type DraftProblems } from './create-request.ts'
import { exampleInput } from './example-input.ts'

const newDraft: CreateDraft = {
  input: exampleInput,
  workspaceId: '',
  subjectId: '',
  runClass: runClasses[0],
  routingHint: '',
  further: '',
}

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

export function CreateView() {
  const [draft, setDraft] = useState(newDraft)
  const [idempotencyKey, setKey] = useState(randomKey)
  const [problems, setProblems] = useState<DraftProblems>({})
  const create = useCreate()
  const change = (field: keyof CreateDraft) => (text: string) => setDraft({ ...draft, [field]: text })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const result = createRequest(draft)
    setProblems('problems' in result ? result.problems : {})
    if ('request' in result) create.mutate({ request: result.request, idempotencyKey })
  }
  return (
    <Page title="New run">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <JsonField
          label="Input"
          rows={15}
          hint="A JSON object. The key “sandbox” contains a script for the sandbox model; other models treat it as regular input."
          error={problems.input}
          value={draft.input}
          onChange={change('input')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Workspace (optional)" value={draft.workspaceId} onChange={change('workspaceId')} />
          <TextField label="Subject (optional)" value={draft.subjectId} onChange={change('subjectId')} />
          <SelectField label="Class" words={runClasses} value={draft.runClass} onChange={change('runClass')} />
          <SelectField
            label="Planning"
            unset="decided by the service"
            words={routingHints}
            value={draft.routingHint}
            onChange={change('routingHint')}
          />
        </div>
        <JsonField
          label="Additional fields (optional)"
          rows={3}
          hint="A JSON object with other fields of the request: metadata, plan, sensitivity_tags, attachment_refs, streaming."
          error={problems.further}
          value={draft.further}
          onChange={change('further')}
        />
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
    </Page>
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
