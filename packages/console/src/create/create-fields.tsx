// The field types of the form: text, JSON, and a selection from a vocabulary of the protocol.
import { Field, inputClass } from '../parts/controls/field.tsx'
import { readable } from '../parts/values/readable.ts'

interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
}

export function TextField({ value, onChange, ...field }: FieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="text"
          autoComplete="off"
          spellCheck={false}
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export function JsonField({ value, onChange, rows, ...field }: FieldProps & { readonly rows: number }) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          spellCheck={false}
          className={`${inputClass} font-mono text-code`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface SelectFieldProps extends FieldProps {
  readonly words: readonly string[]
  /** The label of the empty choice. If undefined, a value is required. */
  readonly unset?: string
}

export function SelectField({ value, onChange, words, unset, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          className={`${inputClass} h-9.5`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {unset !== undefined && <option value="">{unset}</option>}
          {words.map((word) => (
            <option key={word} value={word}>
              {readable(word)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
