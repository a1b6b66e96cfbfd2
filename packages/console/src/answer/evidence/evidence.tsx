// What an approver should know before the question: the goal, whose run it is, what it has done and read so far, and
// what the model said last.
import { type AwaitingInput, type RunDetail, type Tool, visibleText } from '@runwright/contract'
import { Problem } from '../../parts/errors/problem.tsx'
import { Facts } from '../../parts/layout/facts.tsx'
import { ArgumentsTable } from '../../parts/values/arguments-table.tsx'
import { ClampedText } from '../../parts/values/clamped.tsx'
import { Instant } from '../../parts/values/instant.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { useTools } from '../use-is-grave.ts'
import { Sources } from './sources.tsx'
import { StepsSoFar } from './steps-so-far.tsx'
import { type Evidence as EvidenceData, useEvidence } from './use-evidence.ts'

interface EvidenceProps {
  readonly runId: string
  readonly wait: AwaitingInput
}

export function Evidence({ runId, wait }: EvidenceProps) {
  const { data, error, refetch } = useEvidence(runId, wait)
  const tools = useTools()
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  return (
    <section aria-label="What led to this question" aria-busy={!data} className="flex min-w-0 flex-col gap-4">
      {data ? <Found data={data} tools={tools.data?.tools ?? []} /> : <p className="text-muted">Loading the run…</p>}
    </section>
  )
}

function Found({ data, tools }: { readonly data: EvidenceData; readonly tools: readonly Tool[] }) {
  const { run, calls, lastWords, isWhole } = data
  return (
    <>
      <Facts
        facts={[
          { name: 'Goal', value: <Goal run={run} /> },
          { name: 'Created', value: <Creator run={run} /> },
        ]}
      />
      <StepsSoFar steps={run.steps ?? []} calls={calls} isWhole={isWhole} />
      <Sources calls={calls} tools={tools} />
      {lastWords !== '' && (
        <div className="flex min-w-0 flex-col gap-1">
          <h3 className="text-sm font-semibold">The model’s last words</h3>
          <div className="border-l-2 border-line pl-3">
            <ClampedText text={lastWords} most={600} fileName="last-words.txt">
              {(shown) => <Markdown text={shown} />}
            </ClampedText>
          </div>
        </div>
      )}
    </>
  )
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const goalOf = ({ input, plan }: RunDetail): string | undefined => {
  const given = input?.input
  const goal = isObject(given) ? given.goal : undefined
  return typeof goal === 'string' ? goal : (plan?.goal ?? undefined)
}

function Goal({ run }: { readonly run: RunDetail }) {
  const goal = goalOf(run)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {goal !== undefined && (
        <ClampedText text={visibleText(goal)} most={400} fileName="goal.txt">
          {(shown) => <p className="whitespace-pre-wrap wrap-anywhere">{shown}</p>}
        </ClampedText>
      )}
      {run.input && (
        <details className="text-sm">
          <summary className="w-fit text-accent">All of the input</summary>
          <div className="pt-1.5">
            <ArgumentsTable label="Input of the run" value={run.input.input} />
          </div>
        </details>
      )}
    </div>
  )
}

const channels: Readonly<Record<string, string>> = {
  api: 'through the API',
  console: 'in the console',
  operator: 'on the host of the service',
}

function Creator({ run }: { readonly run: RunDetail }) {
  const { created_by: by, subject_id, workspace_id, metadata } = run
  return (
    <>
      {by ? (
        <>
          by{' '}
          <span className="font-medium" title={by.key_id ?? undefined}>
            {by.key_id === null ? 'the operator' : visibleText(by.key_name ?? by.key_id)}
          </span>{' '}
          {channels[by.via] ?? by.via}
        </>
      ) : (
        'by a schedule'
      )}
      , {subject_id === null ? 'for no subject' : `for the subject ${visibleText(subject_id)}`}
      {workspace_id !== null && ` in the workspace ${visibleText(workspace_id)}`}, <Instant at={metadata.created_at} />
    </>
  )
}
