// The page "Keys".
import { EmptyState } from '../parts/empty-state.tsx'
import { Page } from '../parts/page.tsx'

export function KeysView() {
  return (
    <Page title="Keys">
      <EmptyState title="Nothing here yet." />
    </Page>
  )
}
