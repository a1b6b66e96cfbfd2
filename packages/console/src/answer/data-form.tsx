// Data: by the fields of its schema, by fields of one's own, or as JSON.
import { ArgumentFields } from '../agents/argument-form.tsx'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Code } from '../parts/values/code.tsx'
import { type Entry, type EntryType, emptyEntry, entryTypes } from './entries.ts'
import { canSwitch, type Form, type FormDraft, type FormProblems, switched } from './form.ts'

interface DataFormProps {
  /** What the data is. */
  readonly name: string
  readonly hint?: string
  readonly form: Form
  readonly draft: FormDraft
  readonly onDraft: (draft: FormDraft) => void
  readonly problems: FormProblems | undefined
}

export function DataForm(props: DataFormProps) {
  const { name, hint, form, draft, onDraft } = props
  const words = draft.isJson ? 'Enter fields instead' : 'Enter JSON instead'
  return (
    <div className="flex flex-col gap-2">
      {draft.isJson ? <JsonData {...props} /> : <Fields {...props} />}
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
      {canSwitch(form) && (
        <button
          type="button"
          // A page may have several.
          aria-label={`${words}: ${name}`}
          className="self-start text-sm text-accent underline"
          onClick={() => onDraft(switched(form, draft))}
        >
          {words}
        </button>
      )}
    </div>
  )
}

function Fields({ name, form, draft, onDraft, problems = {} }: DataFormProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">{name}</legend>
      {form.fields ? (
        <ArgumentFields
          fields={form.fields}
          texts={draft.texts}
          problems={problems.fields ?? {}}
          onTexts={(texts) => onDraft({ ...draft, texts })}
        />
      ) : (
        <Entries
          entries={draft.entries}
          onEntries={(entries) => onDraft({ ...draft, entries })}
          problem={problems.whole}
        />
      )}
    </fieldset>
  )
}

interface EntriesProps {
  readonly entries: readonly Entry[]
  readonly onEntries: (entries: readonly Entry[]) => void
  readonly problem: string | undefined
}

function Entries({ entries, onEntries, problem }: EntriesProps) {
  const change = (index: number, changed: Partial<Entry>) =>
    onEntries(entries.map((entry, at) => (at === index ? { ...entry, ...changed } : entry)))
  return (
    <>
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
    </>
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

const fewestRows = 4
const mostRows = 16

function JsonData({ name, form, draft, onDraft, problems }: DataFormProps) {
  const { schema, isFree } = form
  return (
    <>
      <Field
        label={`${name}, as JSON`}
        hint={isFree ? 'Any JSON value, such as {"account": "DE-000-42"}.' : undefined}
        error={problems?.whole}
      >
        {(field) => (
          <textarea
            {...field}
            rows={Math.min(mostRows, Math.max(fewestRows, draft.json.split('\n').length + 1))}
            spellCheck={false}
            className={`${inputClass} font-mono text-code`}
            value={draft.json}
            onChange={(event) => onDraft({ ...draft, json: event.target.value })}
          />
        )}
      </Field>
      {schema && (
        <details open={!canSwitch(form)}>
          <summary className="w-fit py-1 text-sm text-accent">Schema of the JSON</summary>
          <Code value={schema} label={`Schema: ${name}`} />
        </details>
      )}
    </>
  )
}
