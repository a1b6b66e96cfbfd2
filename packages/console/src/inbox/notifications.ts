// Desktop notifications of runs that begin to wait. The browser is asked for permission only on a click; the choice is
// remembered in this browser.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { questionText } from '../answer/question-text.ts'
import { runName } from '../runs/run-name.tsx'
import { useSession } from '../session/session.ts'
import { oldestFirst, readWaiting, type WaitingRun, waitKey } from './waiting-runs.ts'

const readEveryMs = 15_000
const queryKey = ['notified-waits']
const storageName = 'runwright.notifications'

/** Browsers offer notifications only to pages with HTTPS and on the own machine. */
const isOffered = () => typeof Notification !== 'undefined'

const isChosen = (): boolean => {
  try {
    return window.localStorage.getItem(storageName) === 'on'
  } catch {
    return false
  }
}

const remember = (isOn: boolean) => {
  try {
    if (isOn) window.localStorage.setItem(storageName, 'on')
    else window.localStorage.removeItem(storageName)
  } catch {
    // The browser forbids storage: then there are no notifications.
  }
}

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

const notify = (run: WaitingRun) => {
  // The same tag in several tabs is one notification.
  const notification = new Notification(runName(run), { body: questionText(run.awaiting_input), tag: waitKey(run) })
  notification.onclick = () => {
    window.focus()
    window.location.hash = `#/inbox?run=${encodeURIComponent(run.id)}`
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
