// The wait that is shown: its run, what it asks, and the answer.
import { Link } from '@tanstack/react-router'
import { WaitPanel } from '../answer/wait-panel.tsx'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Labels } from '../parts/values/labels.tsx'
import { RunName } from '../runs/run-name.tsx'
import type { InboxEntry } from './use-inbox.ts'
import type { WaitingRun } from './waiting-runs.ts'

interface InboxDetailProps {
  readonly entry: InboxEntry
  /** The one that has waited longest of the others. */
  readonly next: WaitingRun | undefined
  readonly hasShortcuts: boolean
  /** Left out: the page stays at the question. */
  readonly onDecided: (() => void) | undefined
  readonly onClose: () => void
  readonly onNext: () => void
}

export function InboxDetail({ entry, next, hasShortcuts, onDecided, onClose, onNext }: InboxDetailProps) {
  const { run, state } = entry
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 className="text-lg font-semibold wrap-anywhere">
          <RunName run={run} />
        </h2>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <Labels of={run} />
          <Link to="/runs/$runId" params={{ runId: run.id }} className="font-medium text-accent underline">
            Open the run
          </Link>
        </p>
      </div>
      <WaitPanel
        run={run}
        wait={run.awaiting_input}
        isOver={state === 'over'}
        hasShortcuts={hasShortcuts}
        onDecided={onDecided}
        onClose={onClose}
      />
      {state !== 'waiting' && <NextStep next={next} onNext={onNext} />}
    </div>
  )
}

function NextStep({ next, onNext }: { readonly next: WaitingRun | undefined; readonly onNext: () => void }) {
  if (!next) return <EmptyState title="No other run awaits input." />
  return (
    <Button variant="primary" className="self-start" onClick={onNext}>
      Next question
    </Button>
  )
}
