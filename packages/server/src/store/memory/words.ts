// Searches memory by words, and reads the version of the customer's memory in the same statement: a search needs both.
import { areaValues, inArea, type MemoryArea } from './area.ts'
import type { MemoryReader } from './reader.ts'

interface WordSearch {
  /** 0 when nothing was ever saved. */
  readonly version: number
  /** Best first. */
  readonly ids: readonly string[]
}

// A question rarely uses all words of the note, so half of them, or three, are enough. One is not: "get" or "week"
// found unrelated notes (for two of ten questions). Lexemes come from the same parser as those of the index, so the
// query is always well-formed.
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
