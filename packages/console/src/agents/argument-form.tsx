// The fields of the arguments of a tool.
import { visibleText } from '@runwright/contract'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { WithCode } from '../parts/values/with-code.tsx'
import type { ArgumentField, ArgumentTexts } from './tool-arguments.ts'

interface ArgumentFieldsProps {
  readonly fields: readonly ArgumentField[]
  readonly texts: ArgumentTexts
  readonly problems: ArgumentTexts
  readonly onTexts: (texts: ArgumentTexts) => void
}

export function ArgumentFields({ fields, texts, problems, onTexts }: ArgumentFieldsProps) {
  if (fields.length === 0) return <p className="text-sm text-muted">The tool takes no arguments.</p>
  return fields.map((field) => (
    <Field
      key={field.name}
      label={`${visibleText(field.name)}${field.isRequired ? '' : ' (optional)'}`}
      hint={field.description === '' ? undefined : <WithCode text={visibleText(field.description)} />}
      error={problems[field.name]}
    >
      {(control) => (
        <Control
          field={field}
          control={control}
          value={texts[field.name] ?? ''}
          onChange={(text) => onTexts({ ...texts, [field.name]: text })}
        />
      )}
    </Field>
  ))
}

interface ControlProps {
  readonly field: ArgumentField
  readonly control: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': boolean
  }
  readonly value: string
  readonly onChange: (text: string) => void
}

function Control({ field, control, value, onChange }: ControlProps) {
  const { kind, choices, isRequired } = field
  if (kind === 'choice' || kind === 'boolean') {
    const words = kind === 'boolean' ? ['yes', 'no'] : choices
    return (
      <select
        {...control}
        className={`${inputClass} h-9.5`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{isRequired && kind === 'boolean' ? 'no' : 'not set'}</option>
        {words
          .filter((word) => !(isRequired && kind === 'boolean' && word === 'no'))
          .map((word) => (
            <option key={word} value={word}>
              {visibleText(word)}
            </option>
          ))}
      </select>
    )
  }
  if (kind === 'number') {
    return (
      <input
        {...control}
        inputMode="decimal"
        autoComplete="off"
        className={inputClass}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  return (
    <textarea
      {...control}
      rows={2}
      spellCheck={false}
      className={inputClass}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
