// The page "Inbox": everything that waits for a person, and the answer beside it.
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Skeleton } from '../parts/layout/skeleton.tsx'
import { plural } from '../parts/values/plural.ts'
import { readableNumber } from '../parts/values/readable.ts'
import { Reconnecting } from '../runs/reconnecting.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { InboxDetail } from './inbox-detail.tsx'
import { InboxList } from './inbox-list.tsx'
import { useNotificationChoice } from './notifications.ts'
import { type InboxEntry, useInbox } from './use-inbox.ts'
import { mostWaiting, useWaitingRuns, type WaitingRun, waitKey } from './waiting-runs.ts'

export function InboxView() {
  const { waiting, isMore, error, isReconnecting, retry } = useWaitingRuns()
  useFreshCount(waiting)
  const isError = error !== undefined && error !== null
  return (
    <Page title="Inbox" actions={<NotificationSwitch />}>
      {isReconnecting && <Reconnecting />}
      {isError && <Problem error={error} onRetry={retry} />}
      {!waiting && !isError && <Skeleton what="the runs that await input" lines={6} />}
      {waiting && isMore && (
        <p className="text-muted">
          More than {readableNumber(mostWaiting)} runs await input. The list has the {readableNumber(mostWaiting)} that
          were created last.
        </p>
      )}
      {waiting && <Inbox waiting={waiting} />}
    </Page>
  )
}

/** The count in the navigation is read now and then. Here, what has changed is known at once. */
const useFreshCount = (waiting: readonly WaitingRun[] | undefined) => {
  const queries = useQueryClient()
  useEffect(() => {
    if (waiting) void queries.invalidateQueries({ queryKey: ['run-counts'] })
  }, [queries, waiting])
}

function Inbox({ waiting }: { readonly waiting: readonly WaitingRun[] }) {
  const inbox = useInbox(waiting)
  const { entries, shown, named } = inbox
  const list = useRef<HTMLUListElement>(null)
  useInboxKeys(inbox, list)
  if (named !== undefined && !shown) return <NotWaiting id={named} />
  if (entries.length === 0) return <NothingWaits />
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
        <Link to="/inbox" className="mb-3 inline-block text-accent underline lg:hidden">
          All that wait
        </Link>
        <Details inbox={inbox} />
      </div>
    </div>
  )
}

type InboxState = ReturnType<typeof useInbox>

const useInboxKeys = ({ entries, shown, show }: InboxState, list: React.RefObject<HTMLUListElement | null>) => {
  const move = (by: number) => {
    const at = shown ? entries.indexOf(shown) : -1
    const to = entries[Math.max(0, Math.min(entries.length - 1, at + by))]
    if (!to) return
    show(to.run)
    list.current?.querySelector<HTMLElement>(`[data-wait="${CSS.escape(waitKey(to.run))}"]`)?.focus()
  }
  useShortcut('j', 'Next question', () => move(1))
  useShortcut('k', 'Previous question', () => move(-1))
}

/** All that were opened stay, hidden, so that what was entered is still there when one comes back. */
function Details({ inbox }: { readonly inbox: InboxState }) {
  const { entries, shown, next, show, close } = inbox
  const opened = useOpened(entries, shown)
  return opened.map((entry) => (
    <Activity key={waitKey(entry.run)} mode={entry === shown ? 'visible' : 'hidden'}>
      <InboxDetail entry={entry} next={next} isShown={entry === shown} onClose={close} onNext={() => show(next)} />
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
