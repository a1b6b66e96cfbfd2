// The page "Inbox".
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

export function InboxView() {
  return (
    <Page title="Inbox">
      <EmptyState title="Nothing here yet." />
    </Page>
  )
}
