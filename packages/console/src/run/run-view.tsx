// The page of a run: what it waits for, how it went, its steps, and its raw events.
import type { AwaitingInput, RunDetail, RunSignal } from '@runwright/contract'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { AnswerRecord } from '../answer/answer-record.tsx'
import { WaitPanel } from '../answer/wait-panel.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Tabs } from '../parts/controls/tabs.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { plural } from '../parts/values/plural.ts'
import { runName } from '../runs/run-name.tsx'
import { ConnectionMark } from './connection-mark.tsx'
import { EventLog } from './log/event-log.tsx'
import { RunCommands } from './run-commands.tsx'
import type { FollowedRun } from './run-follower.ts'
import { RunInputPanel } from './run-input.tsx'
import { RunResult } from './run-result.tsx'
import { type RunSearch, type RunTab, runTabs } from './run-search.ts'
import { RunState } from './run-state.tsx'
import { RunSummary } from './run-summary.tsx'
import { RunTrouble } from './run-trouble.tsx'
import { StepsView } from './steps/steps-view.tsx'
import { cardsOf } from './story/cards.ts'
import { TurnsView } from './turns/turns-view.tsx'
import { useRun } from './use-run.ts'

const route = getRouteApi('/runs/$runId')

export function RunPage() {
  const { runId } = route.useParams()
  return <RunView key={runId} id={runId} />
}

function RunView({ id }: { readonly id: string }) {
  const { run, error, refetch, followed, reconnect } = useRun(id)
  if (run) return <LoadedRun run={run} error={error} followed={followed} onReconnect={reconnect} />
  return (
    <Page title="Run">
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the run" />}
      <Link to="/runs" className="text-accent underline">
        All runs
      </Link>
    </Page>
  )
}

interface LoadedRunProps {
  readonly run: RunDetail
  readonly error: Error | null
  readonly followed: FollowedRun
  readonly onReconnect: () => void
}

const createdIn = ([first]: FollowedRun['events']) => (first?.type === 'run.created' ? first.payload.value : undefined)

function LoadedRun({ run, error, followed, onReconnect }: LoadedRunProps) {
  const navigate = route.useNavigate()
  const created = createdIn(followed.events)
  const isOffline = followed.connection.kind === 'reconnecting'
  return (
    <Page
      title={runName(run)}
      isSticky
      beside={<RunState run={run} />}
      actions={<RunCommands run={run} created={created} />}
    >
      <div className="-mt-3 flex flex-wrap items-center gap-x-3 text-sm text-muted">
        <span className="flex items-center gap-1">
          <span className="font-mono text-xs wrap-anywhere">{run.id}</span>
          <CopyButton label="Copy the run id" text={run.id} />
        </span>
        <ConnectionMark connection={followed.connection} onReconnect={onReconnect} />
      </div>
      {error && !isOffline && <Problem error={error} onRetry={onReconnect} />}
      <RunWait run={run} />
      <RunTrouble
        run={run}
        story={followed.story}
        created={created}
        onShowEvent={(seq) => {
          // Without filters, which could hide it.
          const search = ({ type, task, text, ...was }: RunSearch) =>
            ({ ...was, tab: 'events', seq: `${seq}` }) as const
          void navigate({ search })
        }}
      />
      <RunSummary run={run} />
      <RunTabs run={run} followed={followed} />
    </Page>
  )
}

interface RunTabsProps {
  readonly run: RunDetail
  readonly followed: FollowedRun
}

const labels: Readonly<Record<RunTab, string>> = {
  steps: 'Steps',
  result: 'Result',
  input: 'Input',
  events: 'Events',
  turns: 'Turns',
}

const tabs = runTabs.map((name) => ({ name, label: labels[name] }))

function RunTabs({ run, followed }: RunTabsProps) {
  const search = route.useSearch()
  const { tab = 'steps', turn } = search
  const navigate = route.useNavigate()
  const change = (next: (was: RunSearch) => RunSearch) => void navigate({ search: next, replace: true })
  const { story } = followed
  const cards = useMemo(() => cardsOf({ run, story }), [run, story])
  return (
    <Tabs
      label="Parts of the run"
      tabs={tabs}
      current={tab}
      onChoose={(name) => change(({ tab: _, ...was }) => (name === 'steps' ? was : { ...was, tab: name }))}
    >
      {tab === 'steps' && (
        <StepsView
          run={run}
          story={story}
          cards={cards}
          search={search}
          onSearch={(chosen) => change(({ step, attempt, graph, ...was }) => ({ ...was, ...chosen }))}
        />
      )}
      {tab === 'result' && (
        <div className="flex flex-col gap-4">
          <RunResult run={run} />
          <RunAnswers signals={run.signals ?? []} />
        </div>
      )}
      {tab === 'input' && <RunInputPanel runId={run.id} />}
      {tab === 'events' && (
        <EventLog runId={run.id} followed={followed} cards={cards} search={search} onSearch={change} />
      )}
      {tab === 'turns' && (
        <TurnsView
          runId={run.id}
          newsSeq={story.newsSeq}
          turn={turn === undefined ? undefined : Number(turn)}
          onTurn={(chosen) => change((was) => ({ ...was, turn: chosen }))}
        />
      )}
    </Tabs>
  )
}

/** The questions of the run that people have answered. */
function RunAnswers({ signals }: { readonly signals: readonly RunSignal[] }) {
  if (signals.length === 0) return null
  return (
    <Panel title="Answers" aside={<span className="text-sm text-muted">{plural(signals.length, 'answer')}</span>}>
      <ul className="flex flex-col divide-y divide-line">
        {signals.map((signal) => (
          <li key={`${signal.seq} ${signal.key_id} ${signal.at}`} className="py-2.5 first:pt-0 last:pb-0">
            <AnswerRecord signal={signal} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The wait of a run. It stays on the page if somebody else answers it, until the user closes it. */
function RunWait({ run }: { readonly run: RunDetail }) {
  const [kept, setKept] = useState<AwaitingInput>()
  const [doneSeq, setDoneSeq] = useState(0)
  const current = run.awaiting_input ?? undefined
  if (current && current.seq !== kept?.seq) setKept(current)
  const wait = current ?? kept
  if (!wait || wait.seq <= doneSeq) return null
  const finish = () => setDoneSeq(wait.seq)
  return (
    <WaitPanel
      key={wait.seq}
      run={run}
      wait={wait}
      isOver={current?.seq !== wait.seq}
      hasShortcuts
      onAnswered={finish}
      onClose={finish}
    />
  )
}
