// The wait that is shown: its run, what it asks, and the answer; or the questions like it, to be answered together.
import { Link } from '@tanstack/react-router'
import { Activity, useMemo, useState } from 'react'
import { WaitPanel } from '../answer/wait-panel.tsx'
import { Button } from '../parts/controls/button.tsx'
import { focusMain } from '../parts/focus-main.ts'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { Labels } from '../parts/values/labels.tsx'
import { RunName, runName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'
import { equalQuestions, mostTogether } from './equal-questions.ts'
import { TogetherPanel } from './together-panel.tsx'
import type { InboxEntry } from './use-inbox.ts'
import { type WaitingRun, waitKey } from './waiting-runs.ts'

interface InboxDetailProps {
  readonly entry: InboxEntry
  readonly entries: readonly InboxEntry[]
  /** The one that has waited longest of the others. */
  readonly next: WaitingRun | undefined
  readonly hasShortcuts: boolean
  /** Left out: the page stays at the question. */
  readonly onDecided: (() => void) | undefined
  readonly onClose: () => void
  readonly onNext: () => void
}

type Together = readonly [WaitingRun, ...WaitingRun[]]

/** The questions that one answer may be for. Once opened, they stay as they were. */
const useTogether = ({ entry, entries }: InboxDetailProps) => {
  const { can } = useSession()
  const [opened, setOpened] = useState<Together>()
  const waiting = useMemo(() => entries.filter(({ state }) => state === 'waiting').map(({ run }) => run), [entries])
  const equal = useMemo(() => equalQuestions(entry.run, waiting), [entry.run, waiting])
  const isWaiting = (run: WaitingRun) => waiting.some((one) => waitKey(one) === waitKey(run))
  const isOffered = entry.state === 'waiting' && can('runs:signal')
  return {
    opened,
    isWaiting,
    count: isOffered ? equal.length : 0,
    open: () => {
      // The one that is shown comes first, also if many have waited longer.
      const others = equal.filter((run) => waitKey(run) !== waitKey(entry.run))
      setOpened([entry.run, ...others.slice(0, mostTogether - 1)])
    },
    close: () => {
      focusMain()
      setOpened(undefined)
    },
  }
}

export function InboxDetail(props: InboxDetailProps) {
  const { opened, isWaiting, count, open, close } = useTogether(props)
  return (
    <>
      {/* Hidden, it keeps what was entered, and has no shortcuts. */}
      <Activity mode={opened ? 'hidden' : 'visible'}>
        <OneQuestion {...props} />
        {count > 0 && (
          <Button className="mt-3" onClick={open}>
            {count > mostTogether
              ? `Decide about ${mostTogether} of ${count} such questions together…`
              : `Decide about all ${count} such questions together…`}
          </Button>
        )}
      </Activity>
      {opened && <TogetherPanel runs={opened} isWaiting={isWaiting} onDecided={close} onBack={close} />}
    </>
  )
}

function OneQuestion({ entry, next, hasShortcuts, onDecided, onClose, onNext }: InboxDetailProps) {
  const { run, state } = entry
  // "Next question" goes away when the answer is undone.
  const keptFocus = useKeptFocus<HTMLElement>()
  return (
    <section {...keptFocus} aria-label={runName(run)} tabIndex={-1} className="flex min-w-0 flex-col gap-3">
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
    </section>
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
