// What runs have remembered: browse, search, read and export. The API cannot change it.
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { saveFile } from '../parts/save-file.ts'
import { plural } from '../parts/values/plural.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { matchingItems } from './matching-items.ts'
import { MemoryFilter } from './memory-filter.tsx'
import { MemoryItemDialog } from './memory-item.tsx'
import { MemoryList } from './memory-list.tsx'
import { type MemorySearch, memoryQueryOf } from './memory-search.ts'

export function MemoryView() {
  const { can } = useSession()
  const search = useSearch({ from: '/memory' })
  if (can('memory:read')) return <Memory search={search} />
  return (
    <Page title="Memory">
      <MissingScope scope="memory:read" allows="read and export memory" />
    </Page>
  )
}

const pageSize = 100

const useItems = (search: MemorySearch) => {
  const { client } = useSession()
  const query = memoryQueryOf(search)
  return useInfiniteQuery({
    queryKey: ['memory', query],
    queryFn: ({ pageParam: offset, signal }) => client.memory.list({ ...query, limit: pageSize, offset }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ items, offset }) => (items.length < pageSize ? undefined : offset + items.length),
  })
}

function Memory({ search }: { readonly search: MemorySearch }) {
  const [words, setWords] = useState('')
  const loaded = useItems(search)
  const items = loaded.data?.pages.flatMap((page) => page.items)
  const shown = items && matchingItems(items, { kind: search.kind, words })
  return (
    <Page title="Memory" actions={<ExportButton search={search} />}>
      <MemoryItemDialog search={search} />
      <MemoryFilter search={search} words={words} onWords={setWords} />
      {loaded.error && <Problem error={loaded.error} onRetry={() => void loaded.refetch()} />}
      {loaded.isPending && <Loading what="memory" />}
      {shown && (
        <p role="status" className="text-sm text-muted">
          {plural(shown.length, 'item')}
          {shown.length < items.length && ` of ${items.length} loaded`}, newest first
        </p>
      )}
      {shown && shown.length > 0 && <MemoryList items={shown} search={search} />}
      {shown?.length === 0 && <Nothing isEmpty={items?.length === 0} hasFilter={Object.keys(search).length > 0} />}
      {loaded.hasNextPage && (
        <div>
          <Button disabled={loaded.isFetchingNextPage} onClick={() => void loaded.fetchNextPage()}>
            Load older items
          </Button>
        </div>
      )}
    </Page>
  )
}

function Nothing({ isEmpty, hasFilter }: { readonly isEmpty: boolean; readonly hasFilter: boolean }) {
  if (!isEmpty || hasFilter) return <EmptyState title="No item matches." />
  return (
    <EmptyState title="Nothing is remembered yet.">
      <p className="text-muted">
        Agents save notes with the tool <code className="font-mono text-sm">memory_save</code>.
      </p>
    </EmptyState>
  )
}

/** The archive has one Markdown file per item, as the API names them. The library is loaded on the first export. */
function ExportButton({ search }: { readonly search: MemorySearch }) {
  const { client } = useSession()
  const exported = useMutation({
    mutationFn: async () => {
      const [{ files }, { strToU8, zipSync }] = await Promise.all([
        client.memory.export(memoryQueryOf(search)),
        import('fflate'),
      ])
      return zipSync(Object.fromEntries(files.map(({ path, content }) => [path, strToU8(content)])))
    },
    onSuccess: (archive) => saveFile('runwright-memory.zip', new Uint8Array(archive), 'application/zip'),
  })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {exported.error && <Problem error={exported.error} />}
      <Button disabled={exported.isPending} onClick={() => exported.mutate()}>
        Export as Markdown
      </Button>
    </div>
  )
}
