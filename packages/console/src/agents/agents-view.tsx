// The page "Agents and tools".
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

export function AgentsView() {
  return (
    <Page title="Agents and tools">
      <EmptyState title="Nothing here yet." />
    </Page>
  )
}
