// The keyboard shortcuts of the current page. A component registers its own while it is shown; `?` lists them all.
import { useEffect, useRef } from 'react'

export interface Shortcut {
  /** As `KeyboardEvent.key` has it: `j`, `/`, `Enter`, `?`. */
  readonly key: string
  readonly label: string
  readonly action: () => void
}

let shortcuts: readonly Shortcut[] = []
const listeners = new Set<() => void>()

const change = (next: readonly Shortcut[]) => {
  shortcuts = next
  for (const listener of listeners) listener()
}

export const subscribeToShortcuts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const currentShortcuts = (): readonly Shortcut[] => shortcuts

const typingPlaces = 'input, textarea, select, [contenteditable="true"]'
/** Enter and Space belong to these. */
const pressablePlaces = 'a, button, summary, [role="button"], [role="tab"]'

const belongsToElement = ({ target, key }: KeyboardEvent) => {
  if (!(target instanceof Element)) return false
  if (target.closest(typingPlaces)) return true
  return (key === 'Enter' || key === ' ') && target.closest(pressablePlaces) !== null
}

/** The one registered last wins, so that a dialog can cover the page below it. */
const press = (event: KeyboardEvent) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || belongsToElement(event)) return
  if (document.querySelector('dialog[open]')) return
  const shortcut = shortcuts.findLast(({ key }) => key === event.key)
  if (!shortcut) return
  event.preventDefault()
  shortcut.action()
}

export const listenToShortcuts = (): (() => void) => {
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

export const useShortcut = (key: string, label: string, action: () => void): void => {
  const latest = useRef(action)
  useEffect(() => {
    latest.current = action
  })
  useEffect(() => {
    const shortcut: Shortcut = { key, label, action: () => latest.current() }
    change([...shortcuts, shortcut])
    return () => change(shortcuts.filter((one) => one !== shortcut))
  }, [key, label])
}
