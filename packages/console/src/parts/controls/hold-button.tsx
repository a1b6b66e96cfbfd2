// A button for what cannot be taken back: it must be held for a moment, with the mouse, a finger, Space or Enter, and
// then let go. What takes its place must not get the rest of the press, so it does nothing before. A click alone does
// nothing but say so. The chord does the same without holding.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { keyText, useShortcut } from '../../shell/shortcuts.ts'
import { announce } from '../layout/status-line.tsx'
import { Button } from './button.tsx'

export const holdMs = 800
const chord = 'Mod+Enter'
const letGo = 'Let go to confirm.'

interface HoldButtonProps {
  /** What the list of shortcuts calls it. */
  readonly name: string
  readonly hasShortcut: boolean
  readonly disabled: boolean
  readonly onHeld: () => void
  readonly children: ReactNode
}

interface Hold {
  /** `pointer`, or the name of the key. */
  readonly by: string
  readonly timer: ReturnType<typeof setTimeout>
  isLongEnough: boolean
}

const useHold = (onHeld: () => void, hint: string) => {
  const [shown, setShown] = useState<'free' | 'held' | 'full'>('free')
  const hold = useRef<Hold>(undefined)
  const end = (by = hold.current?.by) => {
    if (hold.current?.by !== by) return
    clearTimeout(hold.current?.timer)
    hold.current = undefined
    setShown('free')
  }
  const fill = () => {
    if (hold.current) hold.current.isLongEnough = true
    setShown('full')
    announce(letGo)
  }
  const begin = (by: string) => {
    if (hold.current) return
    hold.current = { by, timer: setTimeout(fill, holdMs), isLongEnough: false }
    setShown('held')
  }
  const release = (by: string) => {
    if (hold.current?.by !== by) return
    const { isLongEnough } = hold.current
    end()
    if (isLongEnough) onHeld()
    else announce(hint)
  }
  useEffect(() => () => clearTimeout(hold.current?.timer), [])
  return { shown, begin, release, end }
}

const isPressKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  (key === ' ' || key === 'Enter') && !ctrlKey && !metaKey

/** A finger belongs to what it touched first, wherever it goes: without that, sliding off cancels as with a mouse. */
const setFree = ({ target, pointerId }: PointerEvent) => {
  if (target instanceof Element) target.releasePointerCapture(pointerId)
}

export function HoldButton({ name, hasShortcut, disabled, onHeld, children }: HoldButtonProps) {
  const hint = hasShortcut ? `Hold the button, or press ${keyText(chord)}.` : 'Hold the button.'
  const { shown, begin, release, end } = useHold(onHeld, hint)
  useShortcut(hasShortcut && !disabled ? chord : undefined, name, onHeld)
  return (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <Button
        variant="primary"
        disabled={disabled}
        aria-keyshortcuts={hasShortcut ? 'Control+Enter Meta+Enter' : undefined}
        className="relative touch-none overflow-hidden select-none"
        onPointerDown={(event) => {
          setFree(event)
          if (event.button === 0) begin('pointer')
        }}
        onPointerUp={() => release('pointer')}
        onPointerLeave={() => end('pointer')}
        onPointerCancel={() => end('pointer')}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          // Any other key takes it back.
          if (!isPressKey(event)) return end()
          event.preventDefault()
          begin(event.key)
        }}
        onKeyUp={(event) => {
          event.preventDefault()
          release(event.key)
        }}
        onBlur={() => end()}
        // Of a screen reader: without a pointer and without a key.
        onClick={({ detail }) => detail === 0 && announce(hint)}
      >
        <span
          aria-hidden="true"
          style={{ transitionDuration: shown === 'held' ? `${holdMs}ms` : '0ms' }}
          className={`absolute inset-x-0 bottom-0 h-1 origin-left bg-on-accent transition-transform ease-linear ${shown === 'free' ? 'scale-x-0' : 'scale-x-100'}`}
        />
        <span className="relative">{children}</span>
      </Button>
      <Hint isFull={shown === 'full'} hint={hint} />
    </span>
  )
}

/** The place of the longer text: the button must not move under a finger. */
function Hint({ isFull, hint }: { readonly isFull: boolean; readonly hint: string }) {
  return (
    <span className="grid text-sm text-muted">
      <span className={`col-start-1 row-start-1 ${isFull ? 'invisible' : ''}`}>{hint}</span>
      <span className={`col-start-1 row-start-1 ${isFull ? '' : 'invisible'}`}>{letGo}</span>
    </span>
  )
}
