// A button for what cannot be taken back: it must be held for a moment, with the mouse, a finger, Space or Enter. A
// click alone does nothing but say so. The chord does the same without holding.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { keyText, useShortcut } from '../../shell/shortcuts.ts'
import { announce } from '../layout/status-line.tsx'
import { Button } from './button.tsx'

export const holdMs = 800
const chord = 'Mod+Enter'

interface HoldButtonProps {
  /** What the list of shortcuts calls it. */
  readonly name: string
  readonly hasShortcut: boolean
  readonly disabled: boolean
  readonly onHeld: () => void
  readonly children: ReactNode
}

const useHold = (onHeld: () => void) => {
  const [isHeld, setHeld] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const end = () => {
    clearTimeout(timer.current)
    timer.current = undefined
    setHeld(false)
  }
  const begin = () => {
    if (timer.current !== undefined) return
    setHeld(true)
    timer.current = setTimeout(() => {
      end()
      onHeld()
    }, holdMs)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isHeld, begin, end }
}

const isPressKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  (key === ' ' || key === 'Enter') && !ctrlKey && !metaKey

export function HoldButton({ name, hasShortcut, disabled, onHeld, children }: HoldButtonProps) {
  const { isHeld, begin, end } = useHold(onHeld)
  const hint = hasShortcut ? `Hold the button, or press ${keyText(chord)}.` : 'Hold the button.'
  useShortcut(hasShortcut && !disabled ? chord : undefined, name, onHeld)
  return (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <Button
        variant="primary"
        disabled={disabled}
        aria-keyshortcuts={hasShortcut ? 'Control+Enter Meta+Enter' : undefined}
        className="relative touch-none overflow-hidden select-none"
        onPointerDown={(event) => event.button === 0 && begin()}
        onPointerUp={end}
        onPointerLeave={end}
        onPointerCancel={end}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (!isPressKey(event)) return
          event.preventDefault()
          begin()
        }}
        onKeyUp={end}
        onBlur={end}
        onClick={() => announce(hint)}
      >
        <span
          aria-hidden="true"
          style={{ transitionDuration: isHeld ? `${holdMs}ms` : '0ms' }}
          className={`absolute inset-0 origin-left bg-on-accent/30 transition-transform ease-linear ${isHeld ? 'scale-x-100' : 'scale-x-0'}`}
        />
        <span className="relative">{children}</span>
      </Button>
      <span className="text-sm text-muted">{hint}</span>
    </span>
  )
}
