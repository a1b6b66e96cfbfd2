// Search, time, and the button for the other filters.
import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { inputClass } from '../parts/controls/field.tsx'
import { Icon } from '../parts/controls/icon.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { type Period, periods, type RunFilter, without } from './run-filter.ts'
import { useFilter } from './use-filter.ts'

// Loaded by those who open it: it is not part of the first load.
const MoreFilters = lazy(() =>
  import('./more-filters.tsx').then(({ MoreFilters: component }) => ({ default: component })),
)

export function FilterBar({ filter }: { readonly filter: RunFilter }) {
  const [isOpen, setOpen] = useState(false)
  const panelId = useId()
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <SearchField filter={filter} />
        <PeriodField filter={filter} />
        <Button aria-expanded={isOpen} aria-controls={panelId} onClick={() => setOpen(!isOpen)}>
          <span className="flex items-center gap-1.5">
            More filters <Icon name="down" className={isOpen ? 'rotate-180' : ''} />
          </span>
        </Button>
      </div>
      <div id={panelId} hidden={!isOpen}>
        {isOpen && (
          <Suspense fallback={null}>
            <MoreFilters filter={filter} />
          </Suspense>
        )}
      </div>
    </div>
  )
}

function SearchField({ filter }: { readonly filter: RunFilter }) {
  const field = useRef<HTMLInputElement>(null)
  const apply = useFilter(filter)
  // Not by a new field, which would lose the focus.
  useEffect(() => {
    if (field.current) field.current.value = filter.q ?? ''
  }, [filter.q])
  useShortcut('/', 'Search', () => field.current?.focus())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply({ q: field.current?.value ?? '' })
  }
  return (
    <search className="min-w-56 flex-1">
      <form onSubmit={submit}>
        <input
          ref={field}
          type="search"
          aria-label="Search by title or id"
          placeholder="Search by title or id"
          aria-keyshortcuts="/"
          autoComplete="off"
          className={inputClass}
        />
      </form>
    </search>
  )
}

function PeriodField({ filter }: { readonly filter: RunFilter }) {
  const apply = useFilter(without(filter, 'created_after', 'created_before'))
  return (
    <select
      aria-label="Created"
      className={`${inputClass} max-w-44`}
      value={filter.period ?? ''}
      onChange={(event) => apply({ period: event.target.value as Period })}
    >
      <option value="">Any time</option>
      {Object.entries(periods).map(([period, { name }]) => (
        <option key={period} value={period}>
          {name}
        </option>
      ))}
    </select>
  )
}
