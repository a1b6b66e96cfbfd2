// A live list in a component. A key that the service refuses signs out.
import { useEffect, useSyncExternalStore } from 'react'
import { isRefusedKey } from '../session/query-client.ts'
import { useSession } from '../session/session.ts'
import type { LiveList, LiveRuns } from './live-runs.ts'

export const useLiveList = (runs: LiveRuns): LiveList => {
  const { signOut } = useSession()
  const list = useSyncExternalStore(runs.subscribe, runs.snapshot)
  const { error } = list
  useEffect(() => {
    if (isRefusedKey(error)) signOut(`You were signed out. ${error.message}`)
  }, [error, signOut])
  return list
}
