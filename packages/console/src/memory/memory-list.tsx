// The loaded items. A row opens the item, which is part of the URL.
import { type MemoryItem, visibleText } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { Age } from '../parts/values/duration.tsx'
import { Labels } from '../parts/values/labels.tsx'
import type { MemorySearch } from './memory-search.ts'

interface MemoryListProps {
  readonly items: readonly MemoryItem[]
  readonly search: MemorySearch
}

export function MemoryList({ items, search }: MemoryListProps) {
  return (
    <ul aria-label="Items" className="divide-y divide-line rounded-lg border border-line bg-surface">
      {items.map((item) => (
        <li key={item.id}>
          <Link
            to="/memory"
            search={{ ...search, item: item.id }}
            className="flex flex-col gap-1 px-4 py-3 hover:bg-sunken/60"
          >
            <Row {...item} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Row({ title, content, kind, status, workspace_id, subject_id, created_at }: MemoryItem) {
  return (
    <>
      <span className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 font-medium wrap-anywhere">{visibleText(title)}</span>
        <span className="text-sm text-muted">
          <Age at={created_at} />
        </span>
      </span>
      <span className="line-clamp-2 text-sm text-muted wrap-anywhere">{visibleText(content)}</span>
      <span className="flex flex-wrap gap-x-3 text-xs text-muted wrap-anywhere">
        <span className="font-medium text-ink">{kind}</span>
        {status !== 'active' && <span className="text-warn">{status}</span>}
        <Labels of={{ workspace_id, subject_id }} />
      </span>
    </>
  )
}
