// What became of a call that a person tries, as it happens.
import { isTerminalStatus } from '@runwright/client'
import type { RunDetail } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Problem } from '../parts/errors/problem.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { focusIfLost } from '../parts/use-kept-focus.ts'
import { Code } from '../parts/values/code.tsx'
import { AwaitingMark, StatusMark } from '../parts/values/status-mark.tsx'
import { useSession } from '../session/session.ts'

/** Reads the run again with each of its events. */
const useFollowed = (id: string) => {
  const { client } = useSession()
  const run = useQuery({
    queryKey: ['run', id, 'tried'],
    queryFn: ({ signal }) => client.runs.get(id, { include: ['steps', 'failure', 'awaiting_input'], signal }),
  })
  const { refetch, isSuccess } = run
  useEffect(() => {
    // Not before the first answer: until then a refetch joins the request under way, which may be older than the event.
    if (!isSuccess) return
    const stopped = new AbortController()
    const follow = async () => {
      for await (const _ of client.events.stream(id, { signal: stopped.signal })) void refetch()
      void refetch()
    }
    follow().catch(() => undefined)
    return () => stopped.abort()
  }, [client, id, refetch, isSuccess])
  return run
}

export function TriedRun({ id }: { readonly id: string }) {
  const { data: run, error, refetch } = useFollowed(id)
  const runLink = useRef<HTMLAnchorElement>(null)
  // The button is disabled if the call needs consent: another call needs another.
  useEffect(() => focusIfLost(runLink.current), [])
  const link = (
    <Link ref={runLink} to="/runs/$runId" params={{ runId: id }} className="text-sm text-accent underline">
      The run
    </Link>
  )
  return (
    <Panel title="Outcome" aside={link}>
      <div role="status" className="flex flex-col gap-3">
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {!run && !error && <Loading what="the run" />}
        {run && <Outcome run={run} />}
      </div>
    </Panel>
  )
}

function Outcome({ run }: { readonly run: RunDetail }) {
  const [step] = run.steps ?? []
  if (run.awaiting_input) {
    return (
      <p className="flex flex-wrap items-center gap-2">
        <AwaitingMark /> The call is made once it is approved.
        <Link to="/inbox" search={{ run: run.id }} className="text-accent underline">
          Answer it in the inbox
        </Link>
      </p>
    )
  }
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <StatusMark status={run.status} />
        {!isTerminalStatus(run.status) && 'The call is on its way.'}
        {run.failure && (
          <span className="wrap-anywhere">
            {run.failure.message} <span className="font-mono text-xs text-muted">{run.failure.reason_code}</span>
          </span>
        )}
      </p>
      {run.status === 'succeeded' && step && (
        <Code value={step.output ?? step.content ?? null} label="What the tool returned" />
      )}
    </>
  )
}
