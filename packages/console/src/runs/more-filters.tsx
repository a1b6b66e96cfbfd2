// The filters that are used less often. They apply together, on Enter or by the button.
import { eventReasons, runClasses } from '@runwright/contract'
import { type FormEvent, useEffect, useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import type { RunFilter, TextFilter } from './run-filter.ts'
import { useFilter } from './use-filter.ts'

const textFields: readonly { readonly name: TextFilter; readonly label: string }[] = [
  { name: 'workspace_id', label: 'Workspace' },
  { name: 'subject_id', label: 'Subject' },
  { name: 'agent', label: 'Agent' },
  { name: 'error', label: 'Error' },
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
      {textFields.map(({ name, label }) => (
        <Field key={name} label={label}>
          {(field) => (
            <input
              {...field}
              name={name}
              autoComplete="off"
              list={name === 'error' ? 'error-codes' : undefined}
              className={inputClass}
            />
          )}
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
      <datalist id="error-codes">
        {Object.keys(eventReasons).map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
    </form>
  )
}
