// Opens the palette with Ctrl+K, or ⌘ K. It is loaded when it is first opened.
import { lazy, Suspense, useEffect, useState } from 'react'
import { useShortcut } from '../shortcuts.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })))

const openName = 'runwright:palette'

export const openPalette = (): void => {
  document.dispatchEvent(new Event(openName))
}

export function PaletteHost() {
  const [isOpen, setOpen] = useState(false)
  useShortcut('Mod+k', 'Go to a page, a run, an agent or an action', openPalette)
  useEffect(() => {
    const open = () => setOpen(true)
    document.addEventListener(openName, open)
    return () => document.removeEventListener(openName, open)
  }, [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  )
}
