// The filters that are used less often. They apply together, on Enter or by the button.
import { runClasses } from '@runwright/contract'
import { type FormEvent, useEffect, useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Combobox } from '../parts/controls/combobox.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { type SuggestedFilter, useFilterSuggestions } from './filter-suggestions.ts'
import type { RunFilter } from './run-filter.ts'
import { useFilter } from './use-filter.ts'

const textFields: readonly { readonly name: SuggestedFilter; readonly label: string; readonly list: string }[] = [
  { name: 'workspace_id', label: 'Workspace', list: 'Workspaces of the newest runs' },
  { name: 'subject_id', label: 'Subject', list: 'Subjects of the newest runs' },
  { name: 'agent', label: 'Agent', list: 'Agents' },
  { name: 'error', label: 'Error', list: 'Error codes' },
]

/** Local time in the form of the input; the URL has UTC. */
const localText = (at: string): string => {
  if (at === '') return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const instantOf = (text: unknown): string =>
  typeof text === 'string' && text !== '' ? new Date(text).toISOString() : ''

const showFilter = (form: HTMLFormElement | null, filter: RunFilter) => {
  for (const field of form?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]') ?? []) {
    const value = filter[field.name as keyof RunFilter] ?? ''
    field.value = field.type === 'datetime-local' ? localText(value) : value
  }
}

export function MoreFilters({ filter }: { readonly filter: RunFilter }) {
  const form = useRef<HTMLFormElement>(null)
  const apply = useFilter(filter)
  const suggestions = useFilterSuggestions()
  // Not by new fields, which would lose the focus.
  useEffect(() => showFilter(form.current, filter), [filter])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { created_after, created_before, ...texts } = Object.fromEntries(new FormData(event.currentTarget))
    const range = { created_after: instantOf(created_after), created_before: instantOf(created_before) }
    const isRange = range.created_after !== '' || range.created_before !== ''
    apply({ ...(texts as Record<string, string>), ...range, ...(isRange && { period: '' }) })
  }
  return (
    <form
      ref={form}
      onSubmit={submit}
      className="grid gap-3 rounded-lg border border-line bg-surface p-3 sm:grid-cols-2 lg:grid-cols-4"
    >
      {textFields.map(({ name, label, list }) => (
        <Field key={name} label={label}>
          {(field) => <Combobox {...field} name={name} listLabel={list} suggestions={suggestions[name]} />}
        </Field>
      ))}
      <Field label="Class">
        {(field) => (
          <select {...field} name="run_class" className={inputClass}>
            <option value="">any</option>
            {runClasses.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      {(['created_after', 'created_before'] as const).map((name) => (
        <Field key={name} label={name === 'created_after' ? 'Created at or after' : 'Created before'}>
          {(field) => <input {...field} type="datetime-local" name={name} className={inputClass} />}
        </Field>
      ))}
      <Button type="submit" variant="primary" className="self-end">
        Apply
      </Button>
    </form>
  )
}
