// Shown while the code of a page is being loaded.
import { PageSkeleton } from './parts/layout/skeleton.tsx'

export function LoadingPage() {
  return (
    <>
      <h1 className="sr-only">Loading</h1>
      <PageSkeleton />
    </>
  )
}
