// Grey shapes in place of what is being loaded.
const widths = ['w-full', 'w-11/12', 'w-4/5', 'w-full', 'w-3/4']

interface SkeletonProps {
  /** What is being loaded, for screen readers: `runs`. */
  readonly what: string
  readonly lines?: number
}

export function Skeleton({ what, lines = 3 }: SkeletonProps) {
  return (
    <div role="status" className="flex flex-col gap-3 py-2">
      <span className="sr-only">Loading {what}…</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
          key={line}
          className={`h-4 rounded-sm bg-line motion-safe:animate-pulse ${widths[line % widths.length]}`}
        />
      ))}
    </div>
  )
}

export function PageSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <div className="h-7 w-48 rounded-sm bg-line motion-safe:animate-pulse" />
      <Skeleton what="the page" lines={6} />
    </div>
  )
}
