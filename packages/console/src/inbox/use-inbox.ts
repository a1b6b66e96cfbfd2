// What the inbox lists and which of it is shown. The shown wait stays in the list after it was answered, here or by
// somebody else, until another one is chosen: nothing that was entered disappears, and a second press of a key cannot
// answer the next question unread.
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Decision } from '../answer/decisions/decision-box.ts'
import { useDecisions } from '../answer/decisions/decisions.ts'
import type { InboxSearch } from './inbox-search.ts'
import { searchOf, type WaitingRun, waitKey } from './waiting-runs.ts'

export interface InboxEntry {
  readonly run: WaitingRun
  /** `answering`: this person has decided, and the answer has not arrived. `counted`: others have to decide, too. */
  readonly state: 'waiting' | 'answering' | 'counted' | 'answered here' | 'over'
}

interface InboxState {
  readonly waiting: readonly WaitingRun[]
  readonly answered: ReadonlySet<string>
  /** Decided here, but not arrived. */
  readonly answering?: ReadonlySet<string>
  /** Decided here, while others have to decide, too. */
  readonly counted?: ReadonlySet<string>
  /** The list leaves out what this person has decided. */
  readonly isOwn?: boolean
  /** The shown wait, as it was when it was opened. */
  readonly shown: WaitingRun | undefined
}

const stateOf = (run: WaitingRun, state: InboxState): InboxEntry['state'] => {
  const { waiting, answered, answering, counted, isOwn } = state
  if (answered.has(waitKey(run))) return 'answered here'
  const isCounted = counted?.has(waitKey(run))
  if (isCounted && isOwn) return 'counted'
  if (!waiting.some((one) => waitKey(one) === waitKey(run))) return 'over'
  if (isCounted) return 'counted'
  return answering?.has(waitKey(run)) ? 'answering' : 'waiting'
}

export const entriesOf = (state: InboxState): readonly InboxEntry[] => {
  const { waiting, answered, shown } = state
  const isShown = (run: WaitingRun) => shown !== undefined && waitKey(run) === waitKey(shown)
  const others = waiting.filter((run) => !isShown(run) && !answered.has(waitKey(run)))
  const at = shown ? others.filter((run) => run.awaiting_input.since <= shown.awaiting_input.since).length : 0
  const listed = shown ? others.toSpliced(at, 0, shown) : others
  return listed.map((run) => ({ run, state: stateOf(run, state) }))
}

const keysOf = (decisions: readonly Decision[], kinds: readonly Decision['state']['kind'][]) =>
  new Set(decisions.filter(({ state }) => kinds.includes(state.kind)).map(({ key }) => key))

/** What this person has decided, also on other pages. A wait has the same key here and there. */
const useAnswered = () => {
  const decisions = useDecisions()
  return useMemo(
    () => ({
      answered: keysOf(decisions, ['sent']),
      answering: keysOf(decisions, ['counting', 'sending']),
      counted: keysOf(decisions, ['counted']),
    }),
    [decisions],
  )
}

const route = getRouteApi('/inbox')

const isNamed = (run: WaitingRun, { run: id, seq }: InboxSearch) =>
  run.id === id && (seq === undefined || run.awaiting_input.seq === seq)

/** Keeps the wait that is shown: the one that the URL names, or else the one that has waited longest. */
const useShown = (waiting: readonly WaitingRun[], answered: ReadonlySet<string>) => {
  const search = route.useSearch()
  const [kept, setKept] = useState<WaitingRun>()
  const open = waiting.filter((run) => !answered.has(waitKey(run)))
  const isAny = search.run === undefined
  const found = kept && (isAny || isNamed(kept, search)) ? kept : open.find((run) => isAny || isNamed(run, search))
  useEffect(() => setKept(found), [found])
  return { named: search.run, shown: found, close: () => setKept(undefined) }
}

export const useInbox = (waiting: readonly WaitingRun[]) => {
  const navigate = useNavigate()
  const decided = useAnswered()
  const { named, shown, close } = useShown(waiting, decided.answered)
  const { assigned } = route.useSearch()
  const entries = entriesOf({ waiting, ...decided, isOwn: assigned !== undefined, shown })
  const show = (run: WaitingRun | undefined) =>
    void navigate({
      to: '/inbox',
      search: { ...(assigned && { assigned }), ...(run && searchOf(run)) },
      replace: true,
    })
  return {
    entries,
    /** The id in the URL. */
    named,
    shown: entries.find(({ run }) => run === shown),
    next: entries.find(({ run, state }) => run !== shown && state === 'waiting')?.run,
    show,
    close: () => {
      close()
      show(undefined)
    },
  }
}
