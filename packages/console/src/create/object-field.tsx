// A JSON object as part of a larger value. A text that is no object yet is kept as a text, so that nothing typed is
// lost, and the check of the whole refuses it.
import { useState } from 'react'
import { parseJsonObject } from '../parts/parse-json.ts'
import { JsonField } from './create-fields.tsx'

interface ObjectFieldProps {
  readonly label: string
  readonly hint?: string
  readonly rows: number
  readonly error?: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const objectIn = (text: string): unknown => {
  if (text.trim() === '') return undefined
  const parsed = parseJsonObject(text)
  return 'problem' in parsed ? text : parsed.value
}

const textOf = (value: unknown): string => {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

export function ObjectField({ value, onChange, error, ...field }: ObjectFieldProps) {
  const [typed, setTyped] = useState('')
  // As typed, with its white space, unless the value was changed elsewhere.
  const isTyped = JSON.stringify(objectIn(typed)) === JSON.stringify(value)
  const text = isTyped ? typed : textOf(value)
  const parsed = text.trim() === '' ? undefined : parseJsonObject(text)
  return (
    <JsonField
      {...field}
      error={parsed && 'problem' in parsed ? parsed.problem : error}
      value={text}
      onChange={(changed) => {
        setTyped(changed)
        onChange(objectIn(changed))
      }}
    />
  )
}
