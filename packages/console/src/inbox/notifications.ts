// Desktop notifications of runs that begin to wait. The browser is asked for permission only on a click; the choice is
// remembered in this browser.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { questionText } from '../answer/question-text.ts'
import { keepInBrowser, readKept } from '../parts/kept-in-browser.ts'
import { runName } from '../runs/run-name.tsx'
import { stringifySearch } from '../search.ts'
import { useSession } from '../session/session.ts'
import { oldestFirst, readWaiting, searchOf, type WaitingRun, waitKey } from './waiting-runs.ts'

const readEveryMs = 15_000
const queryKey = ['notified-waits']
const storageName = 'runwright.notifications'

/** Browsers offer notifications only to pages with HTTPS and on the own machine. */
const isOffered = () => typeof Notification !== 'undefined'

/** A browser that forbids storage shows no notifications. */
const isChosen = (): boolean => readKept(storageName) === 'on'

const remember = (isOn: boolean) => keepInBrowser(storageName, isOn ? 'on' : null)

export type NotificationState = 'on' | 'off' | 'blocked' | 'not offered'

const stateNow = (): NotificationState => {
  if (!isOffered()) return 'not offered'
  if (Notification.permission === 'denied') return 'blocked'
  return isChosen() && Notification.permission === 'granted' ? 'on' : 'off'
}

export const useNotificationChoice = () => {
  const [state, setState] = useState(stateNow)
  const queries = useQueryClient()
  const turnOn = async () => {
    remember((await Notification.requestPermission()) === 'granted')
    // What waits already is read first: only what comes after it is news.
    await queries.refetchQueries({ queryKey })
    setState(stateNow())
  }
  const turnOff = () => {
    remember(false)
    setState(stateNow())
  }
  return { state, turnOn, turnOff }
}

/** A desktop shows a few lines. The rest of a long question is in the inbox. */
const mostLetters = 300

/** Not in the middle of a letter of two units, such as an emoji. */
const shortened = (text: string): string =>
  text.length <= mostLetters ? text : `${text.slice(0, mostLetters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** The question as messages to people have it: the service masks tagged values, and arguments are not shown. */
const notify = (run: WaitingRun) => {
  // The same tag in several tabs is one notification.
  const notification = new Notification(shortened(runName(run)), {
    body: shortened(questionText(run.awaiting_input)),
    tag: waitKey(run),
  })
  notification.onclick = () => {
    window.focus()
    window.location.hash = `#/inbox${stringifySearch({ ...searchOf(run) })}`
    notification.close()
  }
}

/** For what begins to wait while the tab is hidden. What waited before is in the count. */
export const useWaitingNotifications = (): void => {
  const { client, can } = useSession()
  const { data: waiting } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      stateNow() === 'on' ? oldestFirst((await readWaiting(client, null, { signal, pages: 1 })).runs) : null,
    enabled: can('runs:read'),
    refetchInterval: readEveryMs,
    refetchIntervalInBackground: true,
  })
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (!waiting) return
    const isNew = (run: WaitingRun) => known.current && !known.current.has(waitKey(run))
    if (document.visibilityState === 'hidden' && stateNow() === 'on') waiting.filter(isNew).forEach(notify)
    known.current = new Set(waiting.map(waitKey))
  }, [waiting])
}
