// A section of a page with a title.
import { type ReactNode, useId } from 'react'
import type { KeptFocus } from '../use-kept-focus.ts'

const tones = {
  plain: 'border-line',
  warn: 'border-warn/60',
  bad: 'border-bad/50',
} as const

interface PanelProps {
  readonly title: string
  readonly tone?: keyof typeof tones
  readonly aside?: ReactNode
  /** Of a panel whose controls, or which itself, may go away while they have the focus. */
  readonly keptFocus?: KeptFocus<HTMLElement>
  readonly children: ReactNode
}

export function Panel({ title, tone = 'plain', aside, keptFocus, children }: PanelProps) {
  const id = useId()
  return (
    <section
      {...keptFocus}
      tabIndex={keptFocus && -1}
      aria-labelledby={id}
      className={`min-w-0 rounded-lg border bg-surface ${tones[tone]}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      <div className="px-4 py-3">{children}</div>
    </section>
  )
}
