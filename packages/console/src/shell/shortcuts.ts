// The keyboard shortcuts of the current page. A component registers its own while it is shown; `?` lists them all.
import { useEffect, useRef } from 'react'

export interface Shortcut {
  /** As `KeyboardEvent.key` has it: `j`, `/`, `Enter`, `?`; or `Mod+Enter` and `Mod+k`, with Ctrl or ⌘. */
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

const typingPlaces = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]'
/** Enter and Space belong to these. */
const pressablePlaces = 'a, button, summary, input, [role="button"], [role="tab"]'

/** These work also while somebody types. */
const workAnywhere: ReadonlySet<string | undefined> = new Set(['Mod+Enter', 'Mod+k', 'Escape'])

/** A key that is held moves on, but does nothing else twice. */
const mayRepeat: ReadonlySet<string> = new Set(['j', 'k'])

const withMod: Readonly<Record<string, string>> = { Enter: 'Mod+Enter', k: 'Mod+k' }

const nameOf = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined => {
  if (altKey) return undefined
  return ctrlKey || metaKey ? withMod[key] : key
}

const belongsToElement = ({ target, key }: KeyboardEvent) => {
  if (!(target instanceof Element)) return false
  if (target.closest(typingPlaces)) return true
  return (key === 'Enter' || key === ' ') && target.closest(pressablePlaces) !== null
}

/** The one registered last wins, so that a dialog can cover the page below it. */
const press = (event: KeyboardEvent) => {
  const name = nameOf(event)
  if (name === undefined || event.defaultPrevented) return
  if (!workAnywhere.has(name) && belongsToElement(event)) return
  if (document.querySelector('dialog[open]')) return
  if (event.repeat && !mayRepeat.has(name)) return
  const shortcut = shortcuts.findLast(({ key }) => key === name)
  if (!shortcut) return
  event.preventDefault()
  shortcut.action()
}

export const listenToShortcuts = (): (() => void) => {
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

/** Without a key, there is none. */
export const useShortcut = (key: string | undefined, label: string, action: () => void): void => {
  const latest = useRef(action)
  useEffect(() => {
    latest.current = action
  })
  useEffect(() => {
    if (key === undefined) return
    const shortcut: Shortcut = { key, label, action: () => latest.current() }
    change([...shortcuts, shortcut])
    return () => change(shortcuts.filter((one) => one !== shortcut))
  }, [key, label])
}

const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

/** `Ctrl+Enter`, or `⌘ Enter` on a Mac. */
export const keyText = (key: string): string => key.replace('Mod+k', 'Mod+K').replace('Mod+', isApple ? '⌘ ' : 'Ctrl+')
