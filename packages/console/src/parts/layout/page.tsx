// The layout of a page: title, heading and actions.
import type { ReactNode } from 'react'
import { Skeleton } from './skeleton.tsx'
import { useTitle } from './use-title.ts'

interface PageProps {
  readonly title: string
  readonly heading?: ReactNode
  /** Shown next to the heading. */
  readonly beside?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, heading, beside, actions, children }: PageProps) {
  useTitle(title)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold wrap-anywhere">{heading ?? title}</h1>
          {beside}
        </div>
        {actions}
      </div>
      {children}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return <Skeleton what={what} />
}
