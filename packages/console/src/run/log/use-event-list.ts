// The list of raw events: which rows are in view, which are open, and whether it follows the newest one.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useSettled } from '../../parts/use-settled.ts'
import type { FollowedRun } from '../run-follower.ts'
import type { RunSearch } from '../run-search.ts'
import { type EventFilter, FilteredEvents } from './event-filter.ts'

/** Of a closed row. Only open rows are measured: watching the size of every row makes fast scrolling slow. */
const rowHeight = 33

export interface EventChoice {
  readonly search: RunSearch
  readonly onSearch: (change: (was: RunSearch) => RunSearch) => void
}

/** What is typed is shown at once, and is in the URL a moment later. */
const useTypedText = ({ search: { text: chosen = '' }, onSearch }: EventChoice) => {
  const [typed, setTyped] = useState(chosen)
  const settled = useSettled(typed)
  const [before, setBefore] = useState(chosen)
  if (chosen !== before) {
    setBefore(chosen)
    if (chosen !== settled) setTyped(chosen)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text of the URL replaces what was typed.
  useEffect(() => {
    if (settled !== chosen) onSearch(({ text, ...was }) => (settled === '' ? was : { ...was, text: settled }))
  }, [settled])
  return [typed, setTyped] as const
}

const useFilter = ({ events, count }: FollowedRun, choice: EventChoice) => {
  const { type = '', task = '' } = choice.search
  const [text, setText] = useTypedText(choice)
  const deferred = useDeferredValue(text)
  const filtered = useMemo(() => new FilteredEvents({ type, taskId: task, text: deferred }), [type, task, deferred])
  const setFilter = (next: EventFilter) => {
    setText(next.text)
    if (next.type === type && next.taskId === task) return
    choice.onSearch(({ type: _type, task: _task, ...was }) => ({
      ...was,
      ...(next.type !== '' && { type: next.type }),
      ...(next.taskId !== '' && { task: next.taskId }),
    }))
  }
  return { filter: { type, taskId: task, text }, setFilter, filtered, shown: filtered.update(events, count) }
}

const useOpenRows = () => {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = (index: number) =>
    setOpen((current) => {
      const next = new Set(current)
      if (!next.delete(index)) next.add(index)
      return next
    })
  return { open, toggle, openRow: (index: number) => setOpen((current) => new Set(current).add(index)) }
}

export const useEventList = (followed: FollowedRun, choice: EventChoice) => {
  const { events, count } = followed
  const seq = choice.search.seq === undefined ? undefined : Number(choice.search.seq)
  const { filter, setFilter, filtered, shown } = useFilter(followed, choice)
  const { open, toggle, openRow } = useOpenRows()
  const [follows, setFollows] = useState(seq === undefined)
  /** The one that was opened here: the URL that names it must not scroll to it. */
  const chosenHere = useRef<number>(undefined)
  const scroller = useRef<HTMLElement>(null)
  // The same function in every render: with a new one, all rows are measured again in every frame of scrolling.
  const getItemKey = useCallback((row: number) => filtered.indexOf(row), [filtered])
  const rows = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey,
  })
  const chooseSeq = (chosen: number | undefined) => {
    chosenHere.current = chosen
    choice.onSearch(({ seq: _, ...was }) => (chosen === undefined ? was : { ...was, seq: String(chosen) }))
  }
  const toggleRow = (row: number) => {
    const index = filtered.indexOf(row)
    const toggled = events[index]?.seq
    if (!open.has(index)) chooseSeq(toggled)
    else {
      rows.resizeItem(row, rowHeight)
      if (toggled === seq) chooseSeq(undefined)
    }
    toggle(index)
  }
  /** Scrolls to the event, or to the next one that the filter lets through. Returns its index. */
  const scrollTo = (wanted: number): number | undefined => {
    const row = filtered.rowOf(events, wanted, shown)
    if (row < 0) return undefined
    setFollows(false)
    rows.scrollToIndex(row, { align: 'start' })
    return filtered.indexOf(row)
  }
  const goTo = (wanted: number) => {
    const index = scrollTo(wanted)
    if (index === undefined) return
    openRow(index)
    chooseSeq(events[index]?.seq)
  }
  useEffect(() => {
    if (follows && shown > 0) rows.scrollToIndex(shown - 1, { align: 'end' })
  }, [follows, shown, rows])
  const hasArrived = seq !== undefined && (events[count - 1]?.seq ?? 0) >= seq
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each event that the URL names, when it is there.
  useEffect(() => {
    if (!hasArrived || seq === chosenHere.current) return
    chosenHere.current = seq
    const index = scrollTo(seq)
    if (index !== undefined && events[index]?.seq === seq) openRow(index)
  }, [hasArrived, seq])
  /** A person who scrolls away from the end wants to read. */
  const leaveEnd = () => {
    const box = scroller.current
    if (box && follows && box.scrollHeight - box.scrollTop - box.clientHeight > 2 * rowHeight) setFollows(false)
  }
  const follow = () => setFollows(true)
  return { filter, setFilter, filtered, shown, open, toggleRow, rows, scroller, goTo, follows, follow, leaveEnd }
}
