// The page "Memory".
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

export function MemoryView() {
  return (
    <Page title="Memory">
      <EmptyState title="Nothing here yet." />
    </Page>
  )
}
