// The page "Inbox": everything that waits for a person, and the answer beside it.
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Activity, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { focusMain } from '../parts/focus-main.ts'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Skeleton } from '../parts/layout/skeleton.tsx'
import { plural } from '../parts/values/plural.ts'
import { readableNumber } from '../parts/values/readable.ts'
import { Reconnecting } from '../runs/reconnecting.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { type AutoAdvance, useAutoAdvance } from './auto-advance.ts'
import { InboxDetail } from './inbox-detail.tsx'
import { InboxList } from './inbox-list.tsx'
import { AdvanceSwitch, WhoseQuestions } from './inbox-tools.tsx'
import { useNotificationChoice } from './notifications.ts'
import { type InboxEntry, useInbox } from './use-inbox.ts'
import { type Assigned, mostWaiting, useWaitingRuns, type WaitingRun, waitKey } from './waiting-runs.ts'

const route = getRouteApi('/inbox')

export function InboxView() {
  const { assigned } = route.useSearch()
  const advance = useAutoAdvance()
  return (
    <Page title="Inbox" actions={<NotificationSwitch />}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <WhoseQuestions assigned={assigned} />
        <AdvanceSwitch advance={advance} />
      </div>
      {/* Other questions are another list. */}
      <Questions key={assigned ?? 'all'} assigned={assigned} advance={advance} />
    </Page>
  )
}

interface QuestionsProps {
  readonly assigned: Assigned
  readonly advance: AutoAdvance
}

function Questions({ assigned, advance }: QuestionsProps) {
  const { waiting, isMore, error, isReconnecting, retry } = useWaitingRuns(assigned)
  useFreshCount(waiting)
  const isError = error !== undefined && error !== null
  return (
    <>
      {isReconnecting && <Reconnecting />}
      {isError && <Problem error={error} onRetry={retry} />}
      {!waiting && !isError && <Skeleton what="the runs that await input" lines={6} />}
      {waiting && isMore && (
        <p className="text-muted">
          More than {readableNumber(mostWaiting)} runs await input. The list has the {readableNumber(mostWaiting)} that
          were created last.
        </p>
      )}
      {waiting && <Inbox waiting={waiting} assigned={assigned} advance={advance} />}
    </>
  )
}

/** The count in the navigation is read now and then. Here, what has changed is known at once. */
const useFreshCount = (waiting: readonly WaitingRun[] | undefined) => {
  const queries = useQueryClient()
  useEffect(() => {
    if (waiting) void queries.invalidateQueries({ queryKey: ['run-counts'] })
  }, [queries, waiting])
}

interface InboxProps extends QuestionsProps {
  readonly waiting: readonly WaitingRun[]
}

function Inbox({ waiting, assigned, advance }: InboxProps) {
  const inbox = useInbox(waiting)
  const { entries, shown, named } = inbox
  const list = useRef<HTMLUListElement>(null)
  const open = useOpen(inbox, list)
  useInboxKeys(inbox, open)
  if (named !== undefined && !shown) return <NotWaiting id={named} />
  if (entries.length === 0) return assigned ? <NothingForMe /> : <NothingWaits />
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[21rem_minmax(0,1fr)]">
      {/* On a narrow screen either the list or what was chosen from it. */}
      <div className={`min-w-0 ${named === undefined ? '' : 'max-lg:hidden'}`}>
        <p role="status" className="sr-only">
          {plural(entries.filter(({ state }) => state === 'waiting').length, 'run')} awaiting input
        </p>
        <InboxList ref={list} entries={entries} shown={shown} />
      </div>
      <div className={`min-w-0 ${named === undefined ? 'max-lg:hidden' : ''}`}>
        <Link
          to="/inbox"
          search={assigned ? { assigned } : {}}
          className="mb-3 inline-block text-accent underline lg:hidden"
        >
          All that wait
        </Link>
        <Details inbox={inbox} advance={advance} open={open} />
      </div>
    </div>
  )
}

type InboxState = ReturnType<typeof useInbox>

type Open = (run: WaitingRun) => void

/** Shows a question, with the focus on its line of the list, or on the page where the list has no room. */
const useOpen =
  ({ show }: InboxState, list: RefObject<HTMLUListElement | null>): Open =>
  (run) => {
    show(run)
    const line = list.current?.querySelector<HTMLElement>(`[data-wait="${CSS.escape(waitKey(run))}"]`)
    if (line?.checkVisibility()) line.focus()
    else focusMain()
  }

const useInboxKeys = ({ entries, shown }: InboxState, open: Open) => {
  const move = (by: number) => {
    const at = shown ? entries.indexOf(shown) : -1
    const to = entries[Math.max(0, Math.min(entries.length - 1, at + by))]
    if (to) open(to.run)
  }
  useShortcut('j', 'Next question', () => move(1))
  useShortcut('k', 'Previous question', () => move(-1))
}

interface DetailsProps {
  readonly inbox: InboxState
  readonly advance: AutoAdvance
  readonly open: Open
}

/** All that were opened stay, hidden, so that what was entered is still there when one comes back. */
function Details({ inbox, advance, open }: DetailsProps) {
  const { entries, shown, next, close } = inbox
  const opened = useOpened(entries, shown)
  const goOn = () => {
    if (!next) return
    advance.begin(waitKey(next))
    open(next)
  }
  return opened.map((entry) => (
    <Activity key={waitKey(entry.run)} mode={entry === shown ? 'visible' : 'hidden'}>
      <InboxDetail
        entry={entry}
        entries={entries}
        next={next}
        hasShortcuts={entry === shown && !advance.isJustOpened(waitKey(entry.run))}
        onDecided={advance.isOn && next ? goOn : undefined}
        onClose={close}
        onNext={() => next && open(next)}
      />
    </Activity>
  ))
}

const useOpened = (entries: readonly InboxEntry[], shown: InboxEntry | undefined): readonly InboxEntry[] => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const shownKey = shown && waitKey(shown.run)
  useEffect(() => {
    if (shownKey !== undefined) setKeys((was) => (was.has(shownKey) ? was : new Set([...was, shownKey])))
  }, [shownKey])
  return entries.filter(({ run }) => keys.has(waitKey(run)) || waitKey(run) === shownKey)
}

function NothingWaits() {
  return (
    <EmptyState title="No run awaits input.">
      <p className="max-w-md text-muted">
        A run that asks for an approval or for data appears here by itself. The number in the title of the tab says how
        many wait.
      </p>
    </EmptyState>
  )
}

function NothingForMe() {
  return (
    <EmptyState title="No question awaits your decision.">
      <Link to="/inbox" className="font-medium text-accent underline">
        All that wait
      </Link>
    </EmptyState>
  )
}

/** A link, for example of a notification, to a run that was answered in the meantime. */
function NotWaiting({ id }: { readonly id: string }) {
  return (
    <EmptyState title="This run does not await input.">
      <p className="flex flex-wrap justify-center gap-x-4">
        <Link to="/runs/$runId" params={{ runId: id }} className="font-medium text-accent underline">
          Open the run
        </Link>
        <Link to="/inbox" className="font-medium text-accent underline">
          All that wait
        </Link>
      </p>
    </EmptyState>
  )
}

/** Turns desktop notifications on and off, and says why if that is not possible. */
function NotificationSwitch() {
  const { state, turnOn, turnOff } = useNotificationChoice()
  if (state === 'not offered') return null
  if (state === 'blocked') return <p className="text-sm text-muted">The browser blocks notifications of this page.</p>
  return state === 'on' ? (
    <Button onClick={turnOff}>Stop notifications</Button>
  ) : (
    <Button onClick={() => void turnOn()}>Notify me on this computer</Button>
  )
}
