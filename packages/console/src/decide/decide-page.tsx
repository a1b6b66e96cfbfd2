// The page of one question: the whole call, who asks and why, and the answer. A link in a message leads here, so it
// says what has become of a question that is answered, over, or of another customer.
import { RunwrightError } from '@runwright/client'
import { type AwaitingInput, type RunDetail, type RunSignal, visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { AnswerRecord } from '../answer/answer-record.tsx'
import { WaitPanel } from '../answer/wait-panel.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { useRun } from '../run/use-run.ts'
import { runName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'

const route = getRouteApi('/decide/$runId/$awaitSeq')

export function DecidePage() {
  const { runId, awaitSeq } = route.useParams()
  return <Decision key={`${runId} ${awaitSeq}`} runId={runId} seq={Number(awaitSeq)} />
}

interface DecisionProps {
  readonly runId: string
  readonly seq: number
}

function Decision({ runId, seq }: DecisionProps) {
  const { run, error, refetch } = useRun(runId)
  if (run) return <Question run={run} seq={seq} />
  const isMissing = error instanceof RunwrightError && error.status === 404
  return (
    <Page title="Decision">
      {isMissing ? (
        <NotHere />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the question" />
      )}
    </Page>
  )
}

/** The service does not tell a run of another customer from one that does not exist. */
function NotHere() {
  const { signedInKey, keyName } = useSession()
  return (
    <Note title="This question is not here">
      <p>
        The run does not exist, was removed, or belongs to another customer
        {signedInKey && (
          <>
            . You are signed in as <b>{visibleText(keyName ?? signedInKey.key_id)}</b> of the customer{' '}
            <b>{visibleText(signedInKey.customer_id)}</b>
          </>
        )}
        . If the question is for another customer, sign out and sign in with a key of that customer.
      </p>
    </Note>
  )
}

interface QuestionProps {
  readonly run: RunDetail
  readonly seq: number
}

/** The question stays if somebody else answers it, with what was entered, until the person closes it. */
function Question({ run, seq }: QuestionProps) {
  const [kept, setKept] = useState<AwaitingInput>()
  const current = run.awaiting_input?.seq === seq ? run.awaiting_input : undefined
  if (current && kept === undefined) setKept(current)
  const [isDone, setDone] = useState(false)
  const finish = () => setDone(true)
  const wait = current ?? (isDone ? undefined : kept)
  // A run writes nothing while it waits, so the answer is its next event. Counted answers have its number, too.
  const answers = run.signals?.filter((signal) => signal.seq === seq + 1) ?? []
  return (
    <Page title="Decision" heading={runName(run)}>
      <AskedBy run={run} />
      {wait ? (
        <WaitPanel
          run={run}
          wait={wait}
          isOver={current === undefined}
          hasShortcuts
          onAnswered={finish}
          onClose={finish}
        />
      ) : (
        <Over run={run} seq={seq} answers={answers} />
      )}
      <Link to="/runs/$runId" params={{ runId: run.id }} className="self-start text-accent underline">
        Everything about this run
      </Link>
    </Page>
  )
}

function AskedBy({ run }: { readonly run: RunDetail }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['run-creator', run.id],
    queryFn: async ({ signal }) =>
      (await client.runs.get(run.id, { include: ['created_by'], signal })).created_by ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const creator = data === undefined ? undefined : data === null ? 'a schedule' : (data.key_id ?? 'the operator')
  const labels = [
    ...(run.workspace_id === null ? [] : [`workspace ${run.workspace_id}`]),
    ...(run.subject_id === null ? [] : [`subject ${run.subject_id}`]),
  ]
  return (
    <p className="-mt-2 text-sm text-muted wrap-anywhere">
      {creator && `Created by ${visibleText(creator)}. `}
      {labels.length > 0 && `${visibleText(labels.join(', '))}. `}
      <span className="font-mono text-xs">{run.id}</span>
    </p>
  )
}

function Over({ run, seq, answers }: QuestionProps & { readonly answers: readonly RunSignal[] }) {
  const last = answers.at(-1)
  if (last)
    return (
      <Panel title="This question is answered">
        <AnswerRecord signal={last} earlier={answers.slice(0, -1)} />
      </Panel>
    )
  const current = run.awaiting_input
  return (
    <Note title="This question is over">
      <p>The run does not wait for this answer: its time was over, the run has ended, or the link is wrong.</p>
      {current && current.seq !== seq && (
        <p>
          The run waits for another answer now.{' '}
          <Link
            to="/decide/$runId/$awaitSeq"
            params={{ runId: run.id, awaitSeq: String(current.seq) }}
            className="text-accent underline"
          >
            Open that question
          </Link>
        </p>
      )}
    </Note>
  )
}

function Note({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Panel title={title}>
      <div role="status" className="flex flex-col gap-2">
        {children}
      </div>
    </Panel>
  )
}
