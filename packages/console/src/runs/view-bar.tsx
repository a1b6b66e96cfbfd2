// The saved views as links, and the form that saves the filter in use as one.
import { visibleText } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Icon } from '../parts/controls/icon.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import type { RunFilter } from './run-filter.ts'
import { isSameFilter, longestName, mostViews, type SavedView, useSavedViews } from './saved-views.ts'

export function ViewBar({ filter }: { readonly filter: RunFilter }) {
  const saved = useSavedViews()
  const isSaved = saved.views.some((view) => isSameFilter(view.filter, filter))
  const isNew = saved.canSave && Object.keys(filter).length > 0 && !isSaved
  return saved.views.length === 0 && !isNew ? null : <Bar filter={filter} isNew={isNew} {...saved} />
}

interface BarProps extends Omit<ReturnType<typeof useSavedViews>, 'canSave'> {
  readonly filter: RunFilter
  /** The filter can be saved. */
  readonly isNew: boolean
}

function Bar({ filter, isNew, views, save, remove }: BarProps) {
  const [isNaming, setNaming] = useState(false)
  const keptFocus = useKeptFocus<HTMLElement>()
  const onSave = (name: string) => {
    if (!save({ name, filter })) return
    setNaming(false)
    announce(`The view ${name} is saved in this browser.`)
  }
  return (
    <section
      {...keptFocus}
      aria-label="Views"
      tabIndex={-1}
      className="flex flex-wrap items-end gap-x-3 gap-y-2 text-sm"
    >
      {views.length > 0 && <Views views={views} filter={filter} onRemove={remove} />}
      {isNew && !isNaming && (
        <button type="button" className="py-0.5 text-accent underline" onClick={() => setNaming(true)}>
          Save this view…
        </button>
      )}
      {isNew && isNaming && <NameForm views={views} onSave={onSave} onCancel={() => setNaming(false)} />}
    </section>
  )
}

interface ViewsProps {
  readonly views: readonly SavedView[]
  readonly filter: RunFilter
  readonly onRemove: (name: string) => void
}

function Views({ views, filter, onRemove }: ViewsProps) {
  return (
    <nav aria-label="Saved views">
      <ul className="flex flex-wrap gap-1.5">
        {views.map((view) => (
          <li key={view.name} className="flex rounded-md border border-line bg-surface">
            <Link
              to="/runs"
              search={view.filter}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={isSameFilter(view.filter, filter) ? 'page' : undefined}
              className="rounded-l-md px-2 py-0.5 wrap-anywhere hover:bg-sunken aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium"
            >
              {visibleText(view.name)}
            </Link>
            <button
              type="button"
              aria-label={`Remove the view ${visibleText(view.name)}`}
              className="rounded-r-md px-1.5 text-muted hover:bg-sunken hover:text-ink"
              onClick={() => onRemove(view.name)}
            >
              <Icon name="close" className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface NameFormProps {
  readonly views: readonly SavedView[]
  readonly onSave: (name: string) => void
  readonly onCancel: () => void
}

function NameForm({ views, onSave, onCancel }: NameFormProps) {
  const [name, setName] = useState('')
  const isTooMany = views.length >= mostViews && !views.some((view) => view.name === name.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '' && !isTooMany) onSave(name.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <Field
        label="Name of the view"
        error={isTooMany ? `This browser keeps ${mostViews} views: remove one, or replace one by its name.` : undefined}
      >
        {(field) => (
          <input
            {...field}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user pressed its button.
            autoFocus
            autoComplete="off"
            maxLength={longestName}
            className={inputClass}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={name.trim() === '' || isTooMany}>
        Save
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </form>
  )
}
