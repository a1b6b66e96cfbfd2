// The name of a step. It changes when the person has typed it, not with every letter: a name half typed may be that of
// another step, and steps that depend on one would then depend on both.
import { type KeyboardEvent, useState } from 'react'
import { Field, inputClass } from '../../parts/controls/field.tsx'

interface NameFieldProps {
  /** What the step is called: its own name, or the one that it gets without. */
  readonly id: string
  /** Empty: the step has none of its own. */
  readonly name: string
  readonly error: string | undefined
  /** No other step has the new name. */
  readonly canRename: (from: string, to: string) => boolean
  readonly onRename: (from: string, to: string) => void
}

export function NameField({ id, name, error, canRename, onRename }: NameFieldProps) {
  const [typed, setTyped] = useState<{ readonly from: string; readonly text: string }>()
  /** The step whose new name was taken. */
  const [refused, setRefused] = useState<string>()
  const isTaken = typed !== undefined && typed.text !== typed.from && !canRename(typed.from, typed.text)
  const finish = () => {
    if (!typed) return
    if (!isTaken) onRename(typed.from, typed.text)
    setRefused(isTaken ? typed.from : undefined)
    setTyped(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    // The form is not sent.
    event.preventDefault()
    if (!isTaken) finish()
  }
  const problem = isTaken
    ? 'Another step has this name.'
    : refused === id
      ? 'Another step has the new name: the old one stays.'
      : error
  return (
    <Field label="Name" hint="Other steps and templates use it." error={problem}>
      {(control) => (
        <input
          {...control}
          autoComplete="off"
          spellCheck={false}
          className={inputClass}
          value={typed?.text ?? name}
          onChange={(event) => {
            setRefused(undefined)
            setTyped({ from: typed?.from ?? id, text: event.target.value })
          }}
          onBlur={finish}
          onKeyDown={onKeyDown}
        />
      )}
    </Field>
  )
}
