// The waits of the inbox, oldest first: the question, the run, the tool, and how much time is left. The first hundred,
// then more on request.
import { Link } from '@tanstack/react-router'
import { type Ref, useState } from 'react'
import { questionText } from '../answer/question-text.ts'
import { Button } from '../parts/controls/button.tsx'
import { Age, Countdown } from '../parts/values/duration.tsx'
import { runName } from '../runs/run-name.tsx'
import type { InboxEntry } from './use-inbox.ts'
import { searchOf, waitKey } from './waiting-runs.ts'

const portion = 100

interface InboxListProps {
  readonly entries: readonly InboxEntry[]
  readonly shown: InboxEntry | undefined
  readonly ref: Ref<HTMLUListElement>
}

export function InboxList({ entries, shown, ref }: InboxListProps) {
  const [most, setMost] = useState(portion)
  // The keyboard goes past what is listed.
  const listed = Math.max(most, shown ? entries.indexOf(shown) + 1 : 0)
  const left = entries.length - listed
  return (
    <div className="flex flex-col gap-3">
      <ul
        ref={ref}
        aria-label="Awaiting input, oldest first"
        className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
      >
        {entries.slice(0, listed).map((entry) => (
          <li key={waitKey(entry.run)}>
            <Entry entry={entry} isShown={entry === shown} />
          </li>
        ))}
      </ul>
      {left > 0 && <Button onClick={() => setMost(listed + portion)}>Show {Math.min(left, portion)} more</Button>}
    </div>
  )
}

const stateWords: Readonly<Record<Exclude<InboxEntry['state'], 'waiting'>, string>> = {
  answering: 'answering',
  counted: 'counted, others decide',
  'answered here': 'answered',
  over: 'no longer awaits input',
}

function Entry({ entry: { run, state }, isShown }: { readonly entry: InboxEntry; readonly isShown: boolean }) {
  const wait = run.awaiting_input
  return (
    <Link
      from="/inbox"
      to="/inbox"
      search={({ assigned }) => ({ ...(assigned && { assigned }), ...searchOf(run) })}
      data-wait={waitKey(run)}
      // The router would mark the link only if the URL names the run.
      activeProps={{ 'aria-current': undefined }}
      aria-current={isShown}
      className="flex flex-col gap-0.5 px-3 py-2.5 -outline-offset-2 hover:bg-sunken/60 aria-[current=true]:bg-accent/10 aria-[current=true]:shadow-marked"
    >
      <span className="flex items-baseline justify-between gap-3 text-sm">
        <span className="truncate text-muted">{runName(run)}</span>
        <span className="shrink-0">
          {state === 'waiting' ? <Countdown until={wait.expires_at} /> : <Done>{stateWords[state]}</Done>}
        </span>
      </span>
      <span className="line-clamp-2 font-medium wrap-anywhere">{questionText(wait)}</span>
      <span className="flex flex-wrap gap-x-2 text-sm text-muted">
        {wait.tool !== null && <span className="font-mono text-code">{wait.tool}</span>}
        <span>
          asked <Age at={wait.since} />
        </span>
      </span>
    </Link>
  )
}

function Done({ children }: { readonly children: string }) {
  return <span className="text-muted">{children}</span>
}
