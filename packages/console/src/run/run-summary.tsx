// What kind of run this is, and how much of its limits it has used.

import { isTerminalStatus } from '@runwright/client'
import { type RunDetail, visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { RunCost } from '../costs/run-cost.tsx'
import { usePrices } from '../costs/use-prices.ts'
import { Bar } from '../parts/values/bar.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { plural } from '../parts/values/plural.ts'
import { readableNumber, readableSeconds } from '../parts/values/readable.ts'
import { RunDuration, stoppedAt } from '../parts/values/run-duration.tsx'
import { useNow } from '../parts/values/use-now.ts'
import { useSession } from '../session/session.ts'
import { useInput } from './use-run.ts'

interface RunSummaryProps {
  readonly run: RunDetail
}

export function RunSummary({ run }: RunSummaryProps) {
  const { data: prices } = usePrices()
  return (
    <section
      aria-label="Summary"
      className="grid gap-x-8 gap-y-4 rounded-lg border border-line bg-surface px-4 py-3 md:grid-cols-[1fr_16rem]"
    >
      <dl className="flex flex-wrap gap-x-6 gap-y-3">
        <Fact name="Duration">
          <RunDuration run={run} />
        </Fact>
        <Fact name="Created">
          <Instant at={run.metadata.created_at} />
        </Fact>
        <Fact name="Class">{run.run_class}</Fact>
        {run.workspace_id !== null && <Fact name="Workspace">{visibleText(run.workspace_id)}</Fact>}
        {run.subject_id !== null && <Fact name="Subject">{visibleText(run.subject_id)}</Fact>}
        {run.agent?.name && <Fact name="Agent">{run.agent.name}</Fact>}
        {run.forked_from && <Origin from={run.forked_from} />}
        <Model run={run} />
        {run.usage && (
          <Fact name="Work">
            {plural(run.usage.steps, 'step')}, {plural(run.usage.tool_calls, 'tool call')}
          </Fact>
        )}
        {prices && (
          <Fact name="Cost">
            <RunCost run={run} prices={prices} />
          </Fact>
        )}
      </dl>
      <Limits run={run} />
    </section>
  )
}

/** The steps up to that one were kept: they have no events in this run. */
function Origin({ from: { run_id, step_id } }: { readonly from: NonNullable<RunDetail['forked_from']> }) {
  return (
    <Fact name="Forked from">
      <Link to="/runs/$runId" params={{ runId: run_id }} className="font-mono text-code underline">
        {run_id}
      </Link>{' '}
      after {step_id}
    </Fact>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

/** The one that answered first; before that, the one that was asked for. */
function Model({ run }: RunSummaryProps) {
  const { client } = useSession()
  const { data: sent } = useInput(run.id)
  const { data: turns } = useQuery({
    queryKey: ['run-model', run.id],
    queryFn: ({ signal }) => client.runs.turns(run.id, { limit: 1, signal }),
    enabled: run.status !== 'queued',
    refetchInterval: ({ state }) => (state.data?.turns.length === 0 && !isTerminalStatus(run.status) ? 10_000 : false),
  })
  const metadata = sent?.metadata
  const asked = typeof metadata === 'object' && metadata !== null && 'model' in metadata ? metadata.model : undefined
  const model = turns?.turns[0]?.model ?? (typeof asked === 'string' ? asked : undefined)
  return model === undefined ? null : <Fact name="Model">{model}</Fact>
}

function Limits({ run }: RunSummaryProps) {
  const { usage, limits, metadata } = run
  const stopped = stoppedAt(run)
  const now = useNow(stopped === undefined ? 1_000 : null)
  if (!limits) return null
  const end = stopped === undefined ? now : Date.parse(stopped)
  const seconds = Math.max(0, Math.floor((end - Date.parse(metadata.created_at)) / 1_000))
  return (
    <div className="flex flex-col gap-3">
      <Bar label="Tokens" value={usage?.tokens ?? 0} limit={limits.tokens} format={readableNumber} />
      <Bar label="Time" value={seconds} limit={limits.duration_seconds} format={readableSeconds} />
    </div>
  )
}
