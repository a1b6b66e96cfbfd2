// Searches memory by its words, and tells the version of the customer's memory on the way: a search needs both.
import { areaValues, inArea, type MemoryArea } from './area.ts'
import type { MemoryReader } from './reader.ts'

export interface WordSearch {
  /** 0: nothing was ever saved. */
  readonly version: number
  /** Best first. */
  readonly ids: readonly string[]
}

// A question is rarely put in the words of the note, so half of them, or three, are enough: with any one of them, "get" or "week"
// would find a note about something else (two of ten questions went astray by that). Lexemes come out of the same parser that
// made the index, so a query can't be malformed.
const search = `
with lexeme as materialized (
  select array_to_tsvector(array[lexeme])::text::tsquery as word
  from unnest(to_tsvector('english', $5::text))
  limit 64
),
asked as materialized (
  select string_agg(word::text, ' | ')::tsquery as words, least(3, ceil(count(*) / 2.0)) as enough
  from lexeme
),
matching as (
  select id, ts_rank(words, (select words from asked), 1) as rank,
    (select count(*) from lexeme where memory_items.words @@ word) as matched
  from memory_items
  ${inArea}
    and words @@ ((select words from asked) && $6::tsquery)
)
select coalesce((select version from memory_versions where customer_id = $1), 0) as version,
  array(
    select id::text
    from matching
    where matched >= (select enough from asked)
    order by matched desc, rank desc, id desc
    limit $7
  ) as ids`

export async function searchWords(
  reader: MemoryReader,
  area: MemoryArea,
  query: { readonly text: string; readonly limit: number },
): Promise<WordSearch> {
  const [found] = await reader.query<{ version: number; ids: string[] }>({
    name: 'search-memory-words',
    text: search,
    values: [...areaValues(area), query.text, `'@${area.customerId}'`, query.limit],
  })
  return found ?? { version: 0, ids: [] }
}
