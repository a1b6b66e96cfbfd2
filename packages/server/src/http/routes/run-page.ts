// A page of the list of runs. It ends at `limit` or at `maxPageBytes`, whichever comes first.
import { type ListRunsQuery, maxPageBytes, maxPageSize, type RunListInclude } from '@runwright/contract'
import type { RunState } from '../../domain/run/states.ts'
import { groupByBytes } from '../../runtime/group-by-bytes.ts'
import { findResults, type ListedRunRecord, listRuns } from '../../store/runs/runs.ts'
import { inPieces } from '../server/text-pieces.ts'
import { cursorOf } from './run-cursor.ts'
import { filterOf } from './run-filter.ts'
import { type IncludeSources, includedParts } from './run-includes.ts'
import { runJson } from './run-view.ts'

/** The JSON of a `RunList`. The page ends before the run that would exceed its bytes, but has at least one. */
export async function readRunPage(
  sources: IncludeSources,
  { customerId, query, requestId }: { customerId: string; query: ListRunsQuery; requestId: string },
): Promise<AsyncIterable<string>> {
  const filter = filterOf(query)
  const found =
    filter.states?.length === 0
      ? []
      : await listRuns(sources.database, customerId, { ...filter, limit: filter.limit + 1 })
  const texts = runTexts(sources, { customerId, runs: found.slice(0, filter.limit), includes: query.include ?? [] })
  return inPieces(pageTexts(texts, found, requestId))
}

async function* pageTexts(texts: AsyncIterable<string>, found: readonly ListedRunRecord[], requestId: string) {
  yield '{"runs":['
  let [count, bytes] = [0, 0]
  for await (const text of texts) {
    bytes += Buffer.byteLength(text)
    if (bytes > maxPageBytes && count > 0) break
    yield count === 0 ? text : `,${text}`
    count += 1
  }
  const last = found[count - 1]
  const nextCursor = last && found.length > count ? cursorOf(last) : null
  yield `],"next_cursor":${JSON.stringify(nextCursor)},"request_id":"${requestId}"}`
}

interface Runs {
  readonly customerId: string
  readonly runs: readonly ListedRunRecord[]
  readonly includes: readonly RunListInclude[]
}

const perRead = {
  bytesOf: ({ result }: ListedRunRecord) => result?.bytes ?? 0,
  maxBytes: 256 * 1024,
  maxItems: maxPageSize,
}

/** The JSON of each run. The results are read while the page is written: few of them are in memory. */
async function* runTexts(sources: IncludeSources, { customerId, runs, includes }: Runs) {
  const parts = includes.filter((name) => name !== 'result')
  for (const group of groupByBytes(runs, perRead)) {
    const ids = includes.includes('result') ? group.filter(({ result }) => result).map(({ id }) => id) : []
    const results = ids.length > 0 ? await findResults(sources.database, customerId, ids) : new Map<string, string>()
    for (const run of group) {
      const otherFields = await readParts(sources, { customerId, run }, parts)
      yield runJson(run, { result: results.get(run.id), otherFields })
    }
  }
}

type Part = Exclude<RunListInclude, 'result'>

/** Whether a run in this state can have the part. If not, it is null, and nothing is read. */
const canHave: Readonly<Record<Part, (state: RunState) => boolean>> = {
  awaiting_input: (state) => state === 'awaiting_input',
  failure: (state) => state === 'failed',
  usage: () => true,
}

/** One run at a time: the parts of all runs of a page at once could take too much memory. */
async function readParts(
  sources: IncludeSources,
  { customerId, run }: { readonly customerId: string; readonly run: ListedRunRecord },
  names: readonly Part[],
): Promise<Record<string, unknown>> {
  if (names.length === 0) return {}
  const none = Object.fromEntries(names.map((name) => [name, null]))
  const possible = names.filter((name) => canHave[name](run.state))
  return { ...none, ...(await includedParts(sources, { customerId, runId: run.id }, possible)) }
}
