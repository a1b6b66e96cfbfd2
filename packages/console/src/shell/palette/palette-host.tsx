// Opens the palette with Ctrl+K, or ⌘ K. It is loaded when it is first opened.
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useShortcut } from '../shortcuts.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })))

const openName = 'runwright:palette'

export const openPalette = (): void => {
  document.dispatchEvent(new Event(openName))
}

export function PaletteHost() {
  const openings = useRef(0)
  /** The opening that is shown. Each has a palette of its own: one that is still being closed does not take it away. */
  const [shown, setShown] = useState<number>()
  useShortcut('Mod+k', 'Go to a page, a run, an agent or an action', openPalette)
  useEffect(() => {
    const open = () => {
      openings.current += 1
      setShown(openings.current)
    }
    document.addEventListener(openName, open)
    return () => document.removeEventListener(openName, open)
  }, [])
  if (shown === undefined) return null
  return (
    <Suspense fallback={null}>
      <Palette key={shown} onClose={() => setShown((now) => (now === shown ? undefined : now))} />
    </Suspense>
  )
}
