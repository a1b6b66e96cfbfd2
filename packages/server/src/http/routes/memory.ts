// The memory routes: read-only, never cached.
import { defaultListPageSize, type MemoryExportQuery } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import { toFiles } from '../../memory/export/files.ts'
import { toMemoryItem } from '../../memory/memory-item.ts'
import { fromWireId } from '../../runtime/ids.ts'
import { findMemoryItem, listMemoryItems } from '../../store/memory/items.ts'
import type { MemoryFilter } from '../../store/memory/rows.ts'
import { readAllMemory } from '../../store/memory/snapshot.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Answer, Handlers } from '../server/handler.ts'

type MemoryHandlers = Pick<Handlers, 'listMemory' | 'getMemory' | 'exportMemory'>

/** The export is one JSON document built in memory: a larger one could exhaust the memory of the process. */
const maxExportCharacters = 32 * 1024 * 1024

export const memoryHandlers = ({ database }: { readonly database: Database }): MemoryHandlers => ({
  listMemory: async ({ principal, query }) => {
    const { limit = defaultListPageSize, offset = 0 } = query
    const records = await listMemoryItems(database, toFilter(principal.customerId, query), { limit, offset })
    return notCached({ items: records.map(toMemoryItem), limit, offset })
  },

  getMemory: async ({ principal, query, id }) => {
    const uuid = fromWireId('mem', id)
    const filter = { ...toFilter(principal.customerId, query), includeHarness: true }
    const record = uuid && (await findMemoryItem(database, uuid, filter))
    if (!record) throw new ServiceError('MEMORY_ITEM_NOT_FOUND', 'No memory item has this id.')
    const item = toMemoryItem(record)
    return notCached(query.include_embedding ? { ...item, embedding: record.embedding } : item)
  },

  exportMemory: async ({ principal, query }) => {
    const records = await readAllMemory(database, toFilter(principal.customerId, query), maxExportCharacters)
    if (!records) throw new ServiceError('MEMORY_QUERY_PARAMS_INVALID', tooLarge)
    return notCached({ files: toFiles(records.map(toMemoryItem)) })
  },
})

const tooLarge =
  'The export is too large. Filter it by workspace_id, subject_id or status, or read the pages of /v1/memory/items.'

const toFilter = (customerId: string, query: MemoryExportQuery): MemoryFilter => ({
  customerId,
  workspaceId: query.workspace_id,
  subjectId: query.subject_id,
  status: query.status,
  includeHarness: query.include_harness ?? false,
})

const notCached = (body: object): Answer => ({ body, headers: { 'cache-control': 'no-store' } })
