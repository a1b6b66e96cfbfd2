// Everything that waits for a person, oldest first, from one live request that the navigation, the inbox and the
// notifications share.
import type { ListedRun, RunListInclude, Runwright } from '@runwright/client'
import type { AwaitingInput } from '@runwright/contract'
import type { LiveList, LiveRuns, RunPage } from '../runs/live-runs.ts'
import { useLiveList } from '../runs/use-live-list.ts'
import { liveRuns } from '../runs/watch-runs.ts'
import { useSession } from '../session/session.ts'

export interface WaitingRun extends ListedRun {
  readonly awaiting_input: AwaitingInput
}

/** The same run may wait several times. */
export const waitKey = ({ id, awaiting_input: { seq } }: WaitingRun): string => `${id}:${seq}`

const include: RunListInclude[] = ['awaiting_input', 'title']
const query = { awaiting_input: true, include, limit: 200 }

/** One list per session. Hidden tabs ask too, now and then: the count in the title and notifications are for them. */
const lists = new WeakMap<Runwright, LiveRuns>()

const listOf = (client: Runwright): LiveRuns => {
  const list = lists.get(client) ?? liveRuns(client, query, { isReadWhenHidden: true })
  lists.set(client, list)
  return list
}

const isWaiting = (run: ListedRun): run is WaitingRun => run.awaiting_input !== null && run.awaiting_input !== undefined

/** The run that has waited longest is the first. */
export const oldestFirst = ({ runs }: RunPage): readonly WaitingRun[] =>
  runs.filter(isWaiting).toSorted((a, b) => Date.parse(a.awaiting_input.since) - Date.parse(b.awaiting_input.since))

export interface WaitingList extends LiveList {
  readonly retry: () => void
}

export const useWaitingList = (): WaitingList => {
  const { client } = useSession()
  const list = listOf(client)
  return { ...useLiveList(list), retry: list.start }
}
