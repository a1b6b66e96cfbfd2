// The memory routes: read and delete items. Answers are never cached. Lists and exports are written while their
// contents are read.
import { defaultListPageSize, type MemoryExportQuery } from '@runwright/contract'
import { actorOf } from '../../domain/actor.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { indexLines, indexPath, itemFile } from '../../memory/export/files.ts'
import { toMemoryItem } from '../../memory/memory-item.ts'
import { fromWireId } from '../../runtime/ids.ts'
import { readContents } from '../../store/memory/contents.ts'
import { deleteMemoryItem } from '../../store/memory/delete.ts'
import { findMemoryItem, listMemoryHeads } from '../../store/memory/items.ts'
import type { MemoryFilter, MemoryHead } from '../../store/memory/rows.ts'
import { readMemorySnapshot } from '../../store/memory/snapshot.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Answer, Handlers } from '../server/response/handler.ts'
import { inPieces, jsonWithList } from '../server/response/text-pieces.ts'

type MemoryHandlers = Pick<Handlers, 'listMemory' | 'getMemory' | 'exportMemory' | 'deleteMemory'>

/** The heads of all items are in memory during an export, and clients have to hold the whole document. */
const maxExportCharacters = 32 * 1024 * 1024

interface MemoryStores {
  /** For lists and exports, which may take longer. */
  readonly reads: Database
  readonly database: Database
}

export const memoryHandlers = ({ reads, database }: MemoryStores): MemoryHandlers => ({
  listMemory: async ({ principal, query }) => {
    const { limit = defaultListPageSize, offset = 0 } = query
    const { customerId } = principal
    const heads = await listMemoryHeads(reads, toFilter(customerId, query), { limit, offset })
    return notCached(jsonWithList('items', itemTexts(reads, customerId, heads), { limit, offset }))
  },

  getMemory: async ({ principal, query, id }) => {
    const uuid = fromWireId('mem', id)
    const filter = { ...toFilter(principal.customerId, query), includeHarness: true }
    const record = uuid && (await findMemoryItem(reads, uuid, filter))
    if (!record) throw itemNotFound()
    const item = toMemoryItem(record)
    return notCached(query.include_embedding ? { ...item, embedding: record.embedding } : item)
  },

  exportMemory: async ({ principal, query }) => {
    const { customerId } = principal
    const heads = await readMemorySnapshot(reads, toFilter(customerId, query), maxExportCharacters)
    if (!heads) throw new ServiceError('MEMORY_QUERY_PARAMS_INVALID', tooLarge)
    return notCached(inPieces(exportTexts(reads, customerId, heads)))
  },

  deleteMemory: async ({ principal, requestId, id }) => {
    const uuid = fromWireId('mem', id)
    const { customerId } = principal
    const deleted =
      uuid !== undefined && (await deleteMemoryItem(database, { customerId, id: uuid, by: actorOf(principal) }))
    if (!deleted) throw itemNotFound()
    return notCached({ id, deleted: true, request_id: requestId })
  },
})

const itemNotFound = () => new ServiceError('MEMORY_ITEM_NOT_FOUND', 'No memory item has this id.')

type Texts = AsyncGenerator<string, void, undefined>

async function* itemTexts(database: Database, customerId: string, heads: readonly MemoryHead[]): Texts {
  for await (const record of readContents(database, customerId, heads)) yield JSON.stringify(toMemoryItem(record))
}

/** The JSON of a `MemoryExport`: the index, then a file for each item. */
async function* exportTexts(database: Database, customerId: string, heads: readonly MemoryHead[]): Texts {
  yield `{"files":[{"path":"${indexPath}","content":"`
  for (const line of indexLines(indexedItems(heads))) yield JSON.stringify(line).slice(1, -1)
  yield '"}'
  for await (const record of readContents(database, customerId, heads)) {
    yield `,${JSON.stringify(itemFile(toMemoryItem(record)))}`
  }
  yield ']}'
}

function* indexedItems(heads: readonly MemoryHead[]) {
  for (const head of heads) yield toMemoryItem({ ...head, content: '' })
}

const tooLarge =
  'The export is too large. Filter it by workspace_id, subject_id or status, or read the pages of /v1/memory/items.'

const toFilter = (customerId: string, query: MemoryExportQuery): MemoryFilter => ({
  customerId,
  workspaceId: query.workspace_id,
  subjectId: query.subject_id,
  status: query.status,
  includeHarness: query.include_harness ?? false,
})

const notCached = (body: Answer['body']): Answer => ({ body, headers: { 'cache-control': 'no-store' } })
