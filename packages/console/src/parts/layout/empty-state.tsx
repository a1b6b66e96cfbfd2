// What a list shows when it is empty: why, and what to do.
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-edge/60 px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  )
}
