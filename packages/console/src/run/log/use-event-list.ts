// The list of raw events: which rows are in view, which are open, and whether it follows the newest one.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { FollowedRun } from '../run-follower.ts'
import { type EventFilter, FilteredEvents, noFilter } from './event-filter.ts'

/** Of a closed row. Only open rows are measured: watching the size of every row makes fast scrolling slow. */
const rowHeight = 33

const useFilter = ({ events, count }: FollowedRun) => {
  const [filter, setFilter] = useState<EventFilter>(noFilter)
  const deferred = useDeferredValue(filter)
  const filtered = useMemo(() => new FilteredEvents(deferred), [deferred])
  return { filter, setFilter, filtered, shown: filtered.update(events, count) }
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

export const useEventList = (followed: FollowedRun, seq: number | undefined) => {
  const { filter, setFilter, filtered, shown } = useFilter(followed)
  const { open, toggle, openRow } = useOpenRows()
  const [follows, setFollows] = useState(seq === undefined)
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
  const toggleRow = (row: number) => {
    const index = filtered.indexOf(row)
    if (open.has(index)) rows.resizeItem(row, rowHeight)
    toggle(index)
  }
  const goTo = (wanted: number) => {
    const row = filtered.rowOf(followed.events, wanted, shown)
    if (row < 0) return
    setFollows(false)
    openRow(filtered.indexOf(row))
    rows.scrollToIndex(row, { align: 'start' })
  }
  useEffect(() => {
    if (follows && shown > 0) rows.scrollToIndex(shown - 1, { align: 'end' })
  }, [follows, shown, rows])
  const isReady = followed.count > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the events are there.
  useEffect(() => {
    if (isReady && seq !== undefined) goTo(seq)
  }, [isReady, seq])
  /** A person who scrolls away from the end wants to read. */
  const leaveEnd = () => {
    const box = scroller.current
    if (box && follows && box.scrollHeight - box.scrollTop - box.clientHeight > 2 * rowHeight) setFollows(false)
  }
  const follow = () => setFollows(true)
  return { filter, setFilter, filtered, shown, open, toggleRow, rows, scroller, goTo, follows, follow, leaveEnd }
}
