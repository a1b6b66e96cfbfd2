// The raw events: all of them, in a list that renders only the rows in view.
import { Button } from '../../parts/controls/button.tsx'
import { plural } from '../../parts/values/plural.ts'
import { readableNumber } from '../../parts/values/readable.ts'
import type { FollowedRun } from '../run-follower.ts'
import type { RunSearch } from '../run-search.ts'
import type { Card } from '../story/cards.ts'
import { asNdjson, download } from './event-export.ts'
import { EventRow } from './event-row.tsx'
import { LogControls } from './log-controls.tsx'
import { useEventList } from './use-event-list.ts'

interface EventLogProps {
  readonly runId: string
  readonly followed: FollowedRun
  readonly cards: readonly Card[]
  /** The filter, and the event that is open. */
  readonly search: RunSearch
  readonly onSearch: (change: (was: RunSearch) => RunSearch) => void
}

export function EventLog({ runId, followed, cards, search, onSearch }: EventLogProps) {
  const list = useEventList(followed, { search, onSearch })
  const { events, count, connection } = followed
  const all = plural(count, 'event')
  return (
    <div className="flex flex-col gap-3">
      <LogControls
        filter={list.filter}
        onFilter={list.setFilter}
        types={followed.story.types}
        cards={cards}
        onJump={list.goTo}
        onDownload={() => download(`${runId}.ndjson`, asNdjson(events.slice(0, count)))}
      />
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2 text-sm text-muted">
        <p role="status">{list.shown === count ? all : `${readableNumber(list.shown)} of ${all}`}</p>
        {!list.follows && (
          <Button onClick={list.follow}>{connection.kind === 'ended' ? 'Jump to the end' : 'Jump to newest'}</Button>
        )}
      </div>
      <section
        ref={list.scroller}
        aria-label="Events"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the list must be scrollable by keyboard.
        tabIndex={0}
        onWheel={list.leaveEnd}
        onKeyUp={list.leaveEnd}
        onTouchMove={list.leaveEnd}
        className="h-[70dvh] overflow-auto rounded-lg border border-line bg-surface [contain:strict]"
      >
        {list.shown === 0 && count > 0 && <p className="px-4 py-3 text-muted">No event matches the filter.</p>}
        <Rows runId={runId} events={events} list={list} />
      </section>
    </div>
  )
}

interface RowsProps {
  readonly runId: string
  readonly events: FollowedRun['events']
  readonly list: ReturnType<typeof useEventList>
}

function Rows({ runId, events, list: { rows, filtered, shown, open, toggleRow } }: RowsProps) {
  return (
    <ol className="relative w-full" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index: row, start, key }) => {
        const index = filtered.indexOf(row)
        const event = events[index]
        return (
          event && (
            <EventRow
              key={key}
              ref={open.has(index) ? rows.measureElement : undefined}
              row={row}
              start={start}
              total={shown}
              runId={runId}
              event={event}
              isOpen={open.has(index)}
              onToggle={() => toggleRow(row)}
            />
          )
        )
      })}
    </ol>
  )
}
