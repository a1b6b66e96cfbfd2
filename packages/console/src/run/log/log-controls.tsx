// Which events the raw log shows, and what can be done with them.
import { type FormEvent, useId, useRef, useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { inputClass } from '../../parts/controls/field.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import type { Card } from '../story/cards.ts'
import type { EventFilter } from './event-filter.ts'

interface LogControlsProps {
  readonly filter: EventFilter
  readonly onFilter: (filter: EventFilter) => void
  readonly types: readonly string[]
  readonly cards: readonly Card[]
  readonly onJump: (seq: number) => void
  readonly onDownload: () => void
}

export function LogControls({ filter, onFilter, types, cards, onJump, onDownload }: LogControlsProps) {
  const search = useRef<HTMLInputElement>(null)
  useShortcut('/', 'Search in the events', () => search.current?.focus())
  const steps = cards.flatMap(({ title, step }) => (step?.taskId ? [{ title, taskId: step.taskId }] : []))
  const { taskId } = filter
  if (taskId !== '' && !steps.some((step) => step.taskId === taskId)) steps.push({ title: taskId, taskId })
  return (
    <div className="flex flex-wrap items-end gap-3">
      <input
        ref={search}
        type="search"
        aria-label="Search in the events"
        placeholder="Search…"
        className={`${inputClass} min-w-36 max-w-72 flex-1`}
        value={filter.text}
        onChange={(event) => onFilter({ ...filter, text: event.target.value })}
      />
      <select
        aria-label="Type"
        className={`${inputClass} h-9.5 max-w-52`}
        value={filter.type}
        onChange={(event) => onFilter({ ...filter, type: event.target.value })}
      >
        <option value="">all types</option>
        {/* That of the URL may not have come yet. */}
        {[...new Set([...types, filter.type])].filter(Boolean).map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      <select
        aria-label="Step"
        className={`${inputClass} h-9.5 max-w-44`}
        value={filter.taskId}
        onChange={(event) => onFilter({ ...filter, taskId: event.target.value })}
      >
        <option value="">all steps</option>
        {steps.map(({ title, taskId }) => (
          <option key={taskId} value={taskId}>
            {title}
          </option>
        ))}
      </select>
      <JumpTo onJump={onJump} />
      <Button className="ml-auto" onClick={onDownload}>
        Download NDJSON
      </Button>
    </div>
  )
}

function JumpTo({ onJump }: { readonly onJump: (seq: number) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const seq = Number.parseInt(text, 10)
    if (seq > 0) onJump(seq)
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-1.5">
      <label htmlFor={id} className="text-sm whitespace-nowrap text-muted">
        Go to seq
      </label>
      <input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        className={`${inputClass} w-20!`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  )
}
