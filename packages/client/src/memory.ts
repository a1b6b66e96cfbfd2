// Memory: what runs have remembered.

import { type CallOptions, pathSegment, type Transport } from './transport.ts'
import type {
  DeletedMemoryItem,
  MemoryExport,
  MemoryExportQuery,
  MemoryItem,
  MemoryItemQuery,
  MemoryList,
  MemoryListQuery,
} from './wire.ts'

export class Memory {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns one page, newest first. */
  list(query: MemoryListQuery = {}, options: CallOptions = {}): Promise<MemoryList> {
    return this.#transport.call({ ...options, path: '/v1/memory/items', query })
  }

  /** Yields all items, over all pages. */
  async *all(query: MemoryListQuery = {}, options: CallOptions = {}): AsyncGenerator<MemoryItem, void, undefined> {
    let offset = query.offset ?? 0
    for (;;) {
      const { items, limit } = await this.list({ ...query, offset }, options)
      yield* items
      if (items.length < limit) return
      offset += items.length
    }
  }

  async get(id: string, query: MemoryItemQuery = {}, options: CallOptions = {}): Promise<MemoryItem> {
    return this.#transport.call({ ...options, path: `/v1/memory/items/${pathSegment(id)}`, query })
  }

  /** Requires the scope `runs:admin`. */
  async delete(id: string, options: CallOptions = {}): Promise<DeletedMemoryItem> {
    return this.#transport.call({ ...options, method: 'DELETE', path: `/v1/memory/items/${pathSegment(id)}` })
  }

  /** Returns all items as a tree of Markdown files. */
  export(query: MemoryExportQuery = {}, options: CallOptions = {}): Promise<MemoryExport> {
    return this.#transport.call({ ...options, path: '/v1/memory/export', query })
  }
}
