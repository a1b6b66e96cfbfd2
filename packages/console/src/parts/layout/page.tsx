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
  /** The title and the actions stay in view. */
  readonly isSticky?: boolean
  readonly children: ReactNode
}

/** Not on a low screen, where it would take the place of the page. */
const stickyClass =
  'z-10 -mx-4 bg-page px-4 py-2 sm:-mx-6 sm:px-6 lg:-mx-8 lg:px-8 [@media(min-height:36rem)_and_(min-width:48rem)]:sticky [@media(min-height:36rem)_and_(min-width:48rem)]:top-0'

export function Page({ title, heading, beside, actions, isSticky = false, children }: PageProps) {
  useTitle(title)
  return (
    <div className="flex flex-col gap-4">
      <div className={`flex flex-wrap items-center justify-between gap-3 ${isSticky ? stickyClass : ''}`}>
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
