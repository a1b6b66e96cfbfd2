// The look of a button, for links that lead to another page.
import type { Button } from './button.tsx'

type Variant = NonNullable<Parameters<typeof Button>[0]['variant']>

const looks: Readonly<Record<Extract<Variant, 'primary' | 'plain'>, string>> = {
  primary: 'border-accent bg-accent text-on-accent hover:brightness-110',
  plain: 'border-edge/60 bg-surface text-ink hover:bg-sunken',
}

export const linkButton = (variant: keyof typeof looks): string =>
  `inline-flex min-h-9 items-center rounded-md border px-3 py-1.5 text-sm font-medium ${looks[variant]}`
