// What pages are made of.
import { Button } from '../parts/controls/button.tsx'
import { DataTable } from '../parts/layout/data-table.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Facts } from '../parts/layout/facts.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { PageSkeleton, Skeleton } from '../parts/layout/skeleton.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { Group, Specimen } from './specimen.tsx'

const rows = [
  { name: 'Chairs', count: 24, note: 'Delivery within 8 working days' },
  { name: 'Desks', count: 1_146, note: 'None' },
]

export function Layout() {
  return (
    <>
      <Group title="Layout">
        <Specimen name="DataTable">
          <DataTable
            caption="Rows of the gallery"
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              { name: 'Count', cell: ({ count }) => count, isNumeric: true },
              { name: 'Note', cell: ({ note }) => note, from: 'md' },
            ]}
          />
        </Specimen>
        <Specimen name="EmptyState">
          <EmptyState title="Nothing is here.">
            <Button variant="primary">Create one</Button>
          </EmptyState>
        </Specimen>
        <Specimen name="Facts">
          <Facts
            facts={[
              { name: 'Agent', value: 'clerk' },
              { name: 'Subject', value: null },
            ]}
          />
        </Specimen>
        <Specimen name="Skeleton, PageSkeleton, Loading">
          <Skeleton what="rows" />
          <Loading what="facts" />
          <PageSkeleton />
        </Specimen>
        <Specimen name="announce">
          <div>
            <Button onClick={() => announce('Said in the status line.')}>Say something</Button>
          </div>
        </Specimen>
      </Group>
      <Panel title="Panel" aside={<span className="text-sm text-muted">beside the title</span>}>
        Plain
      </Panel>
      <Panel title="Panel, warn" tone="warn">
        Needs attention
      </Panel>
      <Panel title="Panel, bad" tone="bad">
        Has failed
      </Panel>
    </>
  )
}
