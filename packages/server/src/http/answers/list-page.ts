// Pages of lists: how many items are read, where a page ends, and the opaque cursor that says so.
import { defaultListPageSize, type ReasonCode } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'

interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

interface ListPageOptions<Item, Position> {
  readonly query: PageQuery
  readonly positionOf: (cursor: string) => Position
  readonly cursorOf: (last: Item) => string
  /** Reads so many items behind the position, or from the beginning. */
  readonly read: (page: { readonly before: Position | undefined; readonly limit: number }) => Promise<readonly Item[]>
}

interface ListPage<Item> {
  readonly items: readonly Item[]
  /** Null: there are no more. */
  readonly nextCursor: string | null
}

/** Reads one item more than the page has, to know whether there are more. */
export async function readListPage<Item, Position>(options: ListPageOptions<Item, Position>): Promise<ListPage<Item>> {
  const { limit = defaultListPageSize, cursor } = options.query
  const before = cursor === undefined ? undefined : options.positionOf(cursor)
  const found = await options.read({ before, limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last !== undefined && found.length > limit ? options.cursorOf(last) : null }
}

export const badCursor = (reason: ReasonCode): ServiceError =>
  new ServiceError(reason, 'Query parameter "cursor": must be a next_cursor that this list returned.')

/** For lists in the order of UUIDs: the id of the last item. */
export const uuidCursorOf = ({ id }: { readonly id: string }): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

export const uuidOfCursor =
  (reason: ReasonCode) =>
  (cursor: string): string => {
    const hex = Buffer.from(cursor, 'base64url').toString('hex')
    if (hex.length === 32) return hex
    throw badCursor(reason)
  }
