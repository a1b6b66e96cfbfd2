// The four button styles.
import type { ComponentProps } from 'react'

const variants = {
  primary: 'border-accent bg-accent text-on-accent not-disabled:hover:brightness-110',
  plain: 'border-edge/60 bg-surface text-ink not-disabled:hover:bg-sunken',
  danger: 'border-bad/60 bg-surface text-bad not-disabled:hover:bg-bad/10',
  quiet: 'border-transparent bg-transparent text-accent not-disabled:hover:bg-sunken',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants
}

export function Button({ variant = 'plain', type = 'button', className = '', ...props }: ButtonProps) {
  const look = `min-h-9 rounded-md border px-3 py-1.5 text-sm font-medium disabled:opacity-50 ${variants[variant]}`
  return <button type={type} className={`${look} ${className}`} {...props} />
}
