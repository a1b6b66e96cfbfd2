// The palette: a field that leads to every page, run, agent, tool and action, and to what the customer has set up.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useListKeys } from '../../parts/controls/use-list-keys.ts'
import { Problem } from '../../parts/errors/problem.tsx'
import { plural } from '../../parts/values/plural.ts'
import type { PaletteEntry } from './entries.ts'
import { useEntries } from './use-entries.ts'

const label = 'Go to a page, a run, an agent, a tool or an action'

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = () => dialog.current?.close()
  const onKeyDown = (event: KeyboardEvent) => {
    // The browser would open its own search.
    if (!(event.ctrlKey || event.metaKey) || event.key !== 'k') return
    event.preventDefault()
    close()
  }
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onKeyDown={onKeyDown}
      className="mx-auto mt-24 mb-auto w-[min(40rem,calc(100vw-2rem))] overflow-hidden rounded-xl border border-line bg-surface p-0 text-ink shadow-xl backdrop:bg-black/50"
    >
      <Content onDone={close} />
    </dialog>
  )
}

function Content({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const { entries, isSearching, error } = useEntries(text)
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    // First, so that the focus that the dialog gives back does not leave the new page.
    onDone()
    entry.open()
  }
  const { active, field, listId, optionId } = useListKeys({
    count: entries.length,
    first: 0,
    of: text,
    onChoose: (index) => choose(entries[index]),
  })
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-4 py-2">
        <input
          {...field}
          role="combobox"
          aria-expanded={entries.length > 0}
          aria-label={label}
          placeholder="Page, run id or title, agent, tool, schedule, key, action"
          autoComplete="off"
          spellCheck={false}
          className="w-full min-w-0 bg-transparent py-1.5 outline-none placeholder:text-muted"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="button" className="rounded-md px-2 py-1 text-sm text-muted hover:text-ink" onClick={onDone}>
          Close
        </button>
      </div>
      {error && <Problem error={error} />}
      <div id={listId} role="listbox" aria-label="Places and actions" className="max-h-[50dvh] overflow-y-auto p-2">
        {entries.map((entry, index) => (
          <Option
            key={`${entry.group} ${entry.id}`}
            id={optionId(index)}
            entry={entry}
            isFirst={entries[index - 1]?.group !== entry.group}
            isActive={index === active}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-sm text-muted">
        {isSearching
          ? 'Searching runs…'
          : entries.length === 0
            ? 'Nothing matches.'
            : plural(entries.length, 'match', 'matches')}
      </p>
    </>
  )
}

interface OptionProps {
  readonly id: string
  readonly entry: PaletteEntry
  /** Of its group. */
  readonly isFirst: boolean
  readonly isActive: boolean
  readonly onChoose: () => void
}

function Option({ id, entry, isFirst, isActive, onChoose }: OptionProps) {
  return (
    <>
      {isFirst && (
        <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-semibold text-muted">
          {entry.group}
        </p>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard. */}
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        tabIndex={-1}
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onChoose}
        className="flex items-baseline gap-3 rounded-md px-2 py-1.5 hover:bg-sunken aria-selected:bg-accent/12"
      >
        <span className="shrink-0 max-w-full truncate">
          <span className="sr-only">{entry.group}: </span>
          {entry.name}
        </span>
        {entry.note && <span className="min-w-0 truncate text-sm text-muted">{entry.note}</span>}
      </div>
    </>
  )
}
