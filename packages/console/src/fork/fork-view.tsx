// Forks a run: a person chooses the last step to keep, and another input if they like.
import type { ForkRun, RunDetail, RunStep } from '@runwright/contract'
import { visibleText } from '@runwright/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { JsonField } from '../create/create-fields.tsx'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { hasMask, unmasked } from '../parts/mask.ts'
import { parseJsonObject } from '../parts/parse-json.ts'
import { randomKey } from '../parts/random-key.ts'
import { readable } from '../parts/values/readable.ts'
import { RunName } from '../runs/run-name.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'

const route = getRouteApi('/runs/$runId/fork')

export function ForkPage() {
  const { runId } = route.useParams()
  const { can } = useSession()
  return (
    <Page title="Fork the run">
      {can('runs:write') ? (
        <Fork key={runId} id={runId} />
      ) : (
        <MissingScope scope="runs:write" allows="create runs from others" />
      )}
    </Page>
  )
}

function Fork({ id }: { readonly id: string }) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['run', id, 'to-fork'],
    queryFn: ({ signal }) => client.runs.get(id, { include: ['steps', 'title', 'input'], signal }),
  })
  return (
    <>
      <p className="-mt-2">
        From{' '}
        <Link to="/runs/$runId" params={{ runId: id }} className="text-accent underline wrap-anywhere">
          <RunName run={data ?? { id }} />
        </Link>
        , which does not change.
      </p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading what="the steps" />}
      {data && <ForkForm run={data} />}
    </>
  )
}

const useFork = (id: string) => {
  const { client } = useSession()
  const navigate = useNavigate()
  const [idempotencyKey] = useState(randomKey)
  return useMutation({
    mutationFn: (request: ForkRun) => client.runs.fork(id, request, { idempotencyKey }),
    onSuccess: async (fork) => {
      announce('The fork is created.')
      await navigate({ to: '/runs/$runId', params: { runId: fork.id } })
    },
  })
}

function ForkForm({ run }: { readonly run: Omit<RunDetail, 'output'> }) {
  const { step } = route.useSearch()
  const steps = run.steps ?? []
  const finished = steps.filter(({ state }) => state === 'succeeded')
  const [chosen, setChosen] = useState(finished.find(({ id }) => id === step)?.id ?? finished.at(-1)?.id)
  const [isInputNew, setInputNew] = useState(false)
  const [input, setInput] = useState(() => JSON.stringify(run.input?.input ?? {}, undefined, 2))
  const [problem, setProblem] = useState<string>()
  const fork = useFork(run.id)
  if (chosen === undefined) {
    return <EmptyState title="No step has finished yet: there is nothing that a fork could keep." />
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = isInputNew ? unmasked(parseJsonObject(input), hasMask(run.input?.input)) : undefined
    setProblem(parsed && 'problem' in parsed ? parsed.problem : undefined)
    if (parsed && 'problem' in parsed) return
    fork.mutate({ from_step: chosen, ...(parsed && { input: parsed.value }) })
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Panel title="The last step to keep">
        <StepChoice steps={steps} chosen={chosen} onChoose={setChosen} />
      </Panel>
      <Panel title="Input">
        <label className="flex items-start gap-2.5">
          <input
            type="checkbox"
            className="mt-1 size-4 accent-accent"
            checked={isInputNew}
            onChange={(event) => setInputNew(event.target.checked)}
          />
          <span>
            Use another input
            <span className="block text-sm text-muted">
              Otherwise the fork has the input of the run, with its sensitive values. Values shown as *** are masked:
              enter them again.
            </span>
          </span>
        </label>
        {isInputNew && (
          <div className="mt-4">
            <JsonField label="Input of the fork" rows={10} error={problem} value={input} onChange={setInput} />
          </div>
        )}
      </Panel>
      {fork.error && <Problem error={fork.error} />}
      <Button type="submit" variant="primary" className="self-start" disabled={fork.isPending}>
        {fork.isPending ? 'Creating…' : 'Create the fork'}
      </Button>
    </form>
  )
}

interface StepChoiceProps {
  readonly steps: readonly RunStep[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

function StepChoice({ steps, chosen, onChoose }: StepChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-2 max-w-prose text-sm text-muted">
        The fork keeps all that the run had finished when this step ended, and executes the rest. Tools that kept steps
        have called are not called again.
      </legend>
      <ol className="flex max-h-96 flex-col divide-y divide-line overflow-y-auto">
        {steps.map(({ id, kind, state, content }) => (
          <li key={id}>
            <label className="flex items-baseline gap-2.5 px-1 py-1.5 has-checked:bg-accent/8">
              <input
                type="radio"
                name="from_step"
                className="translate-y-0.5 accent-accent"
                value={id}
                disabled={state !== 'succeeded'}
                checked={id === chosen}
                onChange={() => onChoose(id)}
              />
              <span className="min-w-0">
                <span className="font-medium wrap-anywhere">{visibleText(id)}</span>{' '}
                <span className="text-sm text-muted">
                  {readable(kind)}
                  {state !== 'succeeded' && `, ${readable(state)}: cannot be kept`}
                </span>
                {content !== null && content !== '' && (
                  <span className="line-clamp-1 text-sm text-muted wrap-anywhere">
                    {visibleText(content.slice(0, 300))}
                  </span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ol>
    </fieldset>
  )
}
