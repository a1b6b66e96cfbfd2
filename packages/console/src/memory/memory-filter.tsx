// The filters of the list: by label, status and kind on the service, by words in what is loaded.
import { memoryKinds, memoryStatuses } from '@runwright/contract'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { type MemorySearch, memorySearchOf } from './memory-search.ts'

interface MemoryFilterProps {
  readonly search: MemorySearch
  readonly words: string
  readonly onWords: (words: string) => void
}

export function MemoryFilter({ search, words, onWords }: MemoryFilterProps) {
  const navigate = useNavigate()
  const [labels, setLabels] = useState({ workspace_id: search.workspace_id ?? '', subject_id: search.subject_id ?? '' })
  const change = (changes: Record<string, string>) =>
    void navigate({ to: '/memory', search: memorySearchOf({ ...search, ...labels, ...changes }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({})
  }
  return (
    <form onSubmit={submit} className="grid grid-cols-2 items-end gap-3 md:grid-cols-[repeat(4,1fr)_auto] lg:max-w-4xl">
      <div className="col-span-full">
        <TextField label="Search in the loaded items" value={words} onChange={onWords} />
      </div>
      <TextField
        label="Workspace"
        value={labels.workspace_id}
        onChange={(workspace_id) => setLabels({ ...labels, workspace_id })}
      />
      <TextField
        label="Subject"
        value={labels.subject_id}
        onChange={(subject_id) => setLabels({ ...labels, subject_id })}
      />
      <Choice label="Kind" choices={memoryKinds} value={search.kind} onChange={(kind) => change({ kind })} />
      <Choice label="Status" choices={memoryStatuses} value={search.status} onChange={(status) => change({ status })} />
      <Button type="submit">Filter</Button>
    </form>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function TextField({ label, value, onChange }: TextFieldProps) {
  return (
    <Field label={label}>
      {(field) => (
        <input
          {...field}
          type="search"
          autoComplete="off"
          className={`${inputClass} h-9.5`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly choices: readonly string[]
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

function Choice({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(field) => (
        <select
          {...field}
          className={`${inputClass} h-9.5`}
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">any</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
    </Field>
  )
}
