// Data for the run: as fields, or as JSON.
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import type { DataDraft } from './draft.ts'
import { type Entry, type EntryType, emptyEntry, entryTypes } from './entries.ts'

interface DataFormProps {
  /** What the data is. */
  readonly name: string
  readonly draft: DataDraft
  readonly onDraft: (draft: DataDraft) => void
  readonly problem: string | undefined
}

export function DataForm({ name, draft, onDraft, problem }: DataFormProps) {
  const other = draft.as === 'fields' ? 'json' : 'fields'
  const words = other === 'json' ? 'Enter JSON instead' : 'Enter fields instead'
  return (
    <div className="flex flex-col gap-2">
      {draft.as === 'fields' ? (
        <Fields
          name={name}
          entries={draft.entries}
          onEntries={(entries) => onDraft({ ...draft, entries })}
          problem={problem}
        />
      ) : (
        <JsonData name={name} json={draft.json} onJson={(json) => onDraft({ ...draft, json })} problem={problem} />
      )}
      <button
        type="button"
        // A page may have several.
        aria-label={`${words}: ${name}`}
        className="self-start text-sm text-accent underline"
        onClick={() => onDraft({ ...draft, as: other })}
      >
        {words}
      </button>
    </div>
  )
}

interface FieldsProps {
  readonly name: string
  readonly entries: readonly Entry[]
  readonly onEntries: (entries: readonly Entry[]) => void
  readonly problem: string | undefined
}

function Fields({ name, entries, onEntries, problem }: FieldsProps) {
  const change = (index: number, changed: Partial<Entry>) =>
    onEntries(entries.map((entry, at) => (at === index ? { ...entry, ...changed } : entry)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{name}</legend>
      {entries.map((entry, index) => (
        <EntryRow
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other identity, and are only appended.
          key={index}
          entry={entry}
          number={index + 1}
          onChange={(changed) => change(index, changed)}
        />
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      <Button className="self-start" onClick={() => onEntries([...entries, emptyEntry])}>
        Add a field
      </Button>
    </fieldset>
  )
}

interface EntryRowProps {
  readonly entry: Entry
  readonly number: number
  readonly onChange: (changed: Partial<Entry>) => void
}

function EntryRow({ entry, number, onChange }: EntryRowProps) {
  return (
    <div className="grid gap-2 sm:grid-cols-[1fr_8rem_1.5fr]">
      <input
        aria-label={`Name of field ${number}`}
        placeholder="name"
        autoComplete="off"
        className={inputClass}
        value={entry.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <select
        aria-label={`Type of field ${number}`}
        className={`${inputClass} h-9.5`}
        value={entry.type}
        onChange={(event) => onChange({ type: event.target.value as EntryType, value: '' })}
      >
        {entryTypes.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {entry.type === 'yes or no' ? (
        <select
          aria-label={`Value of field ${number}`}
          className={`${inputClass} h-9.5`}
          value={entry.value || 'no'}
          onChange={(event) => onChange({ value: event.target.value })}
        >
          <option>no</option>
          <option>yes</option>
        </select>
      ) : (
        <input
          aria-label={`Value of field ${number}`}
          placeholder="value"
          autoComplete="off"
          className={inputClass}
          value={entry.value}
          onChange={(event) => onChange({ value: event.target.value })}
        />
      )}
    </div>
  )
}

interface JsonDataProps {
  readonly name: string
  readonly json: string
  readonly onJson: (json: string) => void
  readonly problem: string | undefined
}

function JsonData({ name, json, onJson, problem }: JsonDataProps) {
  return (
    <Field label={`${name}, as JSON`} hint={'Any JSON value, such as {"account": "DE-000-42"}.'} error={problem}>
      {(field) => (
        <textarea
          {...field}
          rows={4}
          spellCheck={false}
          className={`${inputClass} font-mono text-sm`}
          value={json}
          onChange={(event) => onJson(event.target.value)}
        />
      )}
    </Field>
  )
}
