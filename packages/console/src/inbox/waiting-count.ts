// How many runs wait for a person, for the navigation and the title of the tab.
import { useWaitingList } from './waiting-runs.ts'

interface WaitingCount {
  readonly count: number
  /** There are more than were counted. */
  readonly isMore: boolean
}

/** Undefined until it is known, and for a key that may not read runs. */
export const useWaitingCount = (): WaitingCount | undefined => {
  const { page } = useWaitingList()
  return page && { count: page.runs.length, isMore: page.next_cursor !== null }
}
