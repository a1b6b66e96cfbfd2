// One row of the event log: a summary that expands to the whole payload. Payloads are shown as text.
import { isTerminalEvent, type RunEvent } from '@runwright/client'
import { memo, useId, useState } from 'react'
import { Code } from '../parts/code.tsx'
import type { EventRow } from './event-rows.ts'

const tones: Readonly<Partial<Record<RunEvent['type'], string>>> = {
  'run.worker.succeeded': 'text-good',
  'run.worker.failed': 'text-bad',
  'run.limit_exceeded': 'text-bad',
  'run.worker.stalled': 'text-warn',
  'run.awaiting_input': 'text-warn',
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const seqsOf = ([first, ...more]: EventRow['events']) => {
  const last = more.at(-1)
  return last ? `${first.seq}–${last.seq}` : String(first.seq)
}

const payloadsOf = ([first, ...more]: EventRow['events']): unknown =>
  more.length === 0 ? first.payload.value : [first, ...more].map(({ payload }) => payload.value)

const isSameRow = (one: EventRow, other: EventRow) =>
  one.events.length === other.events.length && one.events[0].seq === other.events[0].seq

// Memoized, so that a new event does not render all previous rows again.
export const EventRowItem = memo(function EventRowItem({ events, summary, text }: EventRow) {
  const [isOpen, setOpen] = useState(false)
  const payloadId = useId()
  return (
    <li className="py-1">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={payloadId}
        onClick={() => setOpen(!isOpen)}
        className="-mx-2 grid w-[calc(100%+1rem)] grid-cols-[1fr_auto] items-baseline gap-x-3 rounded-md px-2 py-1.5 text-left hover:bg-sunken/70 sm:grid-cols-[3.25rem_1fr_auto]"
      >
        <Headline events={events} summary={summary} isOpen={isOpen} />
      </button>
      {text && <p className="pb-1 whitespace-pre-wrap wrap-anywhere sm:pl-16">{text}</p>}
      <div id={payloadId} className="sm:pl-16">
        {isOpen && <Code label={`Payload of event ${events[0].seq}`} value={payloadsOf(events)} />}
      </div>
    </li>
  )
}, isSameRow)

interface HeadlineProps extends Pick<EventRow, 'events' | 'summary'> {
  readonly isOpen: boolean
}

function Headline({ events, summary, isOpen }: HeadlineProps) {
  const [first] = events
  const seqs = seqsOf(events)
  const isRedacted = events.some(({ payload }) => payload.redacted)
  const weight = isTerminalEvent(first) ? 'font-bold' : 'font-medium'
  return (
    <>
      <span className="text-xs text-muted tabular-nums max-sm:hidden">{seqs}</span>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <span className={`font-mono text-[0.8125rem] ${weight} ${tones[first.type] ?? ''}`}>{first.type}</span>
        <span className="text-sm text-muted wrap-anywhere">
          <span className="sm:hidden">{seqs} · </span>
          {[summary, isRedacted && 'redacted'].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="text-xs text-muted tabular-nums">
        <time dateTime={first.timestamp} title={first.timestamp}>
          {clock.format(new Date(first.timestamp))}
        </time>
        <span aria-hidden="true" className="ml-2 inline-block w-2">
          {isOpen ? '▾' : '▸'}
        </span>
      </span>
    </>
  )
}
