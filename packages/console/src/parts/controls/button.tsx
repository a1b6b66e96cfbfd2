// The four button styles.
import { type ComponentProps, type FocusEvent, useLayoutEffect, useRef } from 'react'
import { focusIfLost } from '../use-kept-focus.ts'

const variants = {
  primary: 'border-accent bg-accent text-on-accent not-disabled:hover:brightness-110',
  plain: 'border-edge/60 bg-surface text-ink not-disabled:hover:bg-sunken',
  danger: 'border-bad/60 bg-surface text-bad not-disabled:hover:bg-bad/10',
  quiet: 'border-transparent bg-transparent text-accent not-disabled:hover:bg-sunken',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants
}

/** A button that is disabled while it waits for an answer loses the focus. Afterwards it gets it back. */
const useFocusAgain = ({ disabled, onFocus, onBlur }: ButtonProps) => {
  const here = useRef<HTMLButtonElement>(undefined)
  useLayoutEffect(() => {
    if (disabled) return
    focusIfLost(here.current)
    if (document.activeElement !== here.current) here.current = undefined
  }, [disabled])
  return {
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      here.current = event.currentTarget
      onFocus?.(event)
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      if (!event.currentTarget.disabled) here.current = undefined
      onBlur?.(event)
    },
  }
}

export function Button({ variant = 'plain', type = 'button', className = '', ...props }: ButtonProps) {
  const look = `min-h-9 rounded-md border px-3 py-1.5 text-sm font-medium disabled:opacity-50 ${variants[variant]}`
  return <button type={type} className={`${look} ${className}`} {...props} {...useFocusAgain(props)} />
}
