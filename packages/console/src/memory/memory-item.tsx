// One item, read whole. It is text of a model, so it is shown as text and never as markup.
import { type MemoryItem, visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Facts } from '../parts/layout/facts.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { useSession } from '../session/session.ts'
import type { MemorySearch } from './memory-search.ts'

export function MemoryItemDialog({ search }: { readonly search: MemorySearch }) {
  const navigate = useNavigate()
  const { item: id, ...rest } = search
  const { client } = useSession()
  const { data, error } = useQuery({
    queryKey: ['memory-item', id],
    queryFn: ({ signal }) => client.memory.get(id ?? '', {}, { signal }),
    enabled: id !== undefined,
  })
  const close = () => {
    if (id !== undefined) void navigate({ to: '/memory', search: rest })
  }
  return (
    <Dialog title={visibleText(data?.title ?? 'Memory item')} isOpen={id !== undefined} onClose={close}>
      {error ? <Problem error={error} /> : data ? <Item item={data} search={rest} /> : <Loading what="the item" />}
    </Dialog>
  )
}

const percent = (confidence: number) => `${Math.round(confidence * 100)} %`

function Item({ item, search }: { readonly item: MemoryItem; readonly search: MemorySearch }) {
  return (
    <>
      <p className="rounded-md bg-sunken px-3 py-2 whitespace-pre-wrap wrap-anywhere">{visibleText(item.content)}</p>
      <Facts
        facts={[
          { name: 'Id', value: <Id id={item.id} /> },
          { name: 'Kind', value: item.kind },
          { name: 'Status', value: <Status item={item} search={search} /> },
          { name: 'Workspace', value: item.workspace_id && visibleText(item.workspace_id) },
          { name: 'Subject', value: item.subject_id && visibleText(item.subject_id) },
          { name: 'Tags', value: visibleText(item.tags.join(', ')) || null },
          { name: 'Confidence', value: item.confidence === null ? null : percent(item.confidence) },
          { name: 'Run', value: item.run_id && <RunLink id={item.run_id} /> },
          { name: 'Created', value: <Instant at={item.created_at} /> },
          { name: 'Updated', value: <Instant at={item.updated_at} /> },
        ]}
      />
    </>
  )
}

function Id({ id }: { readonly id: string }) {
  return (
    <span className="inline-flex items-center gap-1 font-mono text-xs">
      {id} <CopyButton text={id} label="Copy the id" />
    </span>
  )
}

const linkClass = 'text-accent underline'

function Status({ item, search }: { readonly item: MemoryItem; readonly search: MemorySearch }) {
  if (item.superseded_by === null) return item.status
  return (
    <>
      {item.status} by{' '}
      <Link to="/memory" search={{ ...search, item: item.superseded_by }} className={linkClass}>
        the newer item
      </Link>
    </>
  )
}

function RunLink({ id }: { readonly id: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className={`${linkClass} font-mono text-xs`}>
      {id}
    </Link>
  )
}
