// A text field that suggests names as they are typed. Other texts are possible, too.
import { type ReactNode, useId } from 'react'
import { Field, inputClass } from '../parts/controls/field.tsx'

export interface Suggestion {
  readonly name: string
  readonly description: string
}

interface SuggestFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly suggestions: readonly Suggestion[]
  readonly value: string
  readonly onChange: (name: string) => void
}

export function SuggestField({ suggestions, value, onChange, ...field }: SuggestFieldProps) {
  const list = useId()
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            list={list}
            autoComplete="off"
            spellCheck={false}
            className={inputClass}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {suggestions.map(({ name, description }) => (
              <option key={name} value={name}>
                {description}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
