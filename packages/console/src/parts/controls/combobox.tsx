// A text field that suggests values below it. Any other text may be entered, too. The field keeps its own text, as a
// plain input does, so that it can be part of a form.
import { type KeyboardEvent, useRef, useState } from 'react'
import { inputClass } from './field.tsx'
import { useListKeys } from './use-list-keys.ts'

export interface Suggestion {
  readonly value: string
  /** What the value means. It is searched, too. */
  readonly note?: string | undefined
}

interface ComboboxProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
  readonly name: string
  /** What is suggested, for screen readers: `Agents`. */
  readonly listLabel: string
  readonly suggestions: readonly Suggestion[]
}

const mostShown = 50

/** What was entered in full is not suggested: the list would only cover what is below the field. */
const matchOf = (suggestions: readonly Suggestion[], text: string): readonly Suggestion[] => {
  const wanted = text.trim().toLowerCase()
  return suggestions
    .filter(({ value, note = '' }) => value !== text && `${value} ${note}`.toLowerCase().includes(wanted))
    .slice(0, mostShown)
}

export function Combobox({ name, listLabel, suggestions, ...control }: ComboboxProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const shown = isOpen ? matchOf(suggestions, text) : []
  const choose = (suggestion: Suggestion | undefined) => {
    if (input.current && suggestion) input.current.value = suggestion.value
    setOpen(false)
  }
  const { active, field, listId, optionId } = useListKeys({
    count: shown.length,
    first: -1,
    of: text,
    onChoose: (index) => choose(shown[index]),
  })
  const open = () => {
    setText(input.current?.value ?? '')
    setOpen(true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen && event.key === 'ArrowDown') {
      event.preventDefault()
      open()
    } else if (isOpen && event.key === 'Escape') {
      event.preventDefault()
      setOpen(false)
    } else field.onKeyDown(event)
  }
  return (
    <div className="relative">
      <input
        {...control}
        {...field}
        ref={input}
        role="combobox"
        aria-expanded={shown.length > 0}
        name={name}
        autoComplete="off"
        spellCheck={false}
        className={inputClass}
        onKeyDown={onKeyDown}
        onInput={open}
        onBlur={() => setOpen(false)}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={listLabel}
        hidden={shown.length === 0}
        className="absolute inset-x-0 top-full z-10 mt-1 max-h-64 overflow-y-auto rounded-md border border-line bg-surface p-1 shadow-lg"
      >
        {shown.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard.
          <div
            key={suggestion.value}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(suggestion)}
            className="rounded px-2 py-1 text-sm wrap-anywhere hover:bg-sunken aria-selected:bg-accent/12"
          >
            {suggestion.value}
            {suggestion.note && <span className="block text-muted">{suggestion.note}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}
