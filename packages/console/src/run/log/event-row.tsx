// One row of the raw log: a summary that expands to the event as it was sent. Payloads are shown as text.
import type { RunEvent } from '@runwright/client'
import type { Ref } from 'react'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { Code } from '../../parts/values/code.tsx'
import { utcText } from '../../parts/values/instant.tsx'
import { asCurl } from './event-export.ts'
import { eventSummary } from './event-summary.ts'

const tones: Readonly<Partial<Record<RunEvent['type'], string>>> = {
  'run.worker.succeeded': 'text-good',
  'run.worker.failed': 'text-bad',
  'run.limit_exceeded': 'text-bad',
  'run.worker.stalled': 'text-warn',
  'run.awaiting_input': 'text-warn',
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const serviceUrl = () => new URL('..', window.location.href.replace(/#.*/, '')).href

interface EventRowProps {
  readonly ref: Ref<HTMLLIElement> | undefined
  readonly row: number
  /** Where the row begins, in pixels from the top of the list. */
  readonly start: number
  readonly total: number
  readonly runId: string
  readonly event: RunEvent
  readonly isOpen: boolean
  readonly onToggle: () => void
}

export function EventRow({ ref, row, start, total, runId, event, isOpen, onToggle }: EventRowProps) {
  return (
    <li
      ref={ref}
      data-index={row}
      aria-setsize={total}
      aria-posinset={row + 1}
      className="absolute inset-x-0 top-0 border-b border-line"
      style={{ transform: `translateY(${start}px)` }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex h-8 w-full items-center gap-3 px-3 text-left outline-offset-[-2px] hover:bg-sunken/70"
      >
        <span className="w-14 shrink-0 text-right text-xs text-muted tabular-nums">{event.seq}</span>
        <span className={`shrink-0 font-mono text-code font-medium ${tones[event.type] ?? ''}`}>{event.type}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{eventSummary(event)}</span>
        <time
          dateTime={event.timestamp}
          title={utcText(event.timestamp)}
          className="shrink-0 text-xs text-muted tabular-nums max-sm:hidden"
        >
          {clock.format(new Date(event.timestamp))}
        </time>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-1 px-3 pb-3">
          <Code label={`Event ${event.seq}`} value={event} />
          <div className="flex flex-wrap gap-2">
            <CopyButton label="Copy as JSON" isTextShown text={() => JSON.stringify(event, undefined, 2)} />
            <CopyButton label="Copy as curl" isTextShown text={() => asCurl(serviceUrl(), runId, event.seq)} />
          </div>
        </div>
      )}
    </li>
  )
}
