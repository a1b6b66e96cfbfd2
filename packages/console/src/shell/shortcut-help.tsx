// The list of shortcuts, shown by `?`.
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Dialog } from '../parts/controls/dialog.tsx'
import { currentShortcuts, keyText, listenToShortcuts, subscribeToShortcuts, useShortcut } from './shortcuts.ts'

const openName = 'runwright:shortcut-help'

export const openShortcutHelp = (): void => {
  document.dispatchEvent(new Event(openName))
}

export function ShortcutHelp() {
  const [isOpen, setOpen] = useState(false)
  const shortcuts = useSyncExternalStore(subscribeToShortcuts, currentShortcuts)
  useShortcut('?', 'Show the shortcuts', openShortcutHelp)
  useEffect(listenToShortcuts, [])
  useEffect(() => {
    const open = () => setOpen(true)
    document.addEventListener(openName, open)
    return () => document.removeEventListener(openName, open)
  }, [])
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => setOpen(false)}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {shortcuts.map(({ key, label }) => (
          <div key={`${key} ${label}`} className="contents">
            <dt>
              <kbd className="inline-block min-w-7 rounded-sm border border-edge/60 bg-sunken px-1.5 py-0.5 text-center font-mono text-xs">
                {keyText(key)}
              </kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
