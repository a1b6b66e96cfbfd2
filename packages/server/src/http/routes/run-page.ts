// A page of the list of runs. It ends at `limit` or at `maxPageBytes`, whichever comes first; with steps, also at
// `maxStepEvents`.
import { type ListRunsQuery, maxPageBytes, maxPageSize, type RunListInclude } from '@runwright/contract'
import { groupByBytes } from '../../runtime/group-by-bytes.ts'
import type { ListCaller } from '../../store/runs/assigned-runs.ts'
import { type FoundRuns, listRuns } from '../../store/runs/run-list.ts'
import { findResults, type ListedRunRecord } from '../../store/runs/runs.ts'
import { maxStepEvents } from '../../store/runs/step-facts.ts'
import { inPieces } from '../server/response/text-pieces.ts'
import { isRunPart, type PartSources, readParts } from './includes/run-parts.ts'
import { cursorOf } from './run-cursor.ts'
import { filterOf } from './run-filter.ts'
import { runJson } from './run-view.ts'

interface PageRequest {
  readonly customerId: string
  readonly query: ListRunsQuery
  /** Whose list it is, if it is not that of everyone. */
  readonly caller?: ListCaller | undefined
  /** The page ends before it has more, but has at least one run. */
  readonly maxBytes?: number
}

interface ListedText {
  readonly id: string
  /** The JSON of a `ListedRun`. */
  readonly text: string
}

/** Yields the runs of a page, and returns its `next_cursor`. */
export type RunPage = AsyncGenerator<ListedText, string | null, undefined>

/** The JSON of a `RunList`. Rejects before the first text if the list cannot be read. */
export async function readRunPage(
  sources: PartSources,
  { requestId, ...request }: PageRequest & { readonly requestId: string },
): Promise<AsyncIterable<string>> {
  return inPieces(pageTexts(await openRunPage(sources, request), requestId))
}

async function* pageTexts(page: RunPage, requestId: string) {
  yield '{"runs":['
  let separator = ''
  let next = await page.next()
  for (; !next.done; next = await page.next()) {
    yield `${separator}${next.value.text}`
    separator = ','
  }
  yield `],"next_cursor":${JSON.stringify(next.value)},"request_id":"${requestId}"}`
}

/** Finds the runs of the page; their parts are read while they are taken from it. */
export async function openRunPage(sources: PartSources, request: PageRequest): Promise<RunPage> {
  const { customerId, query, caller, maxBytes = maxPageBytes } = request
  const filter = filterOf(query, sources.agents, caller)
  const found =
    filter.states?.length === 0
      ? { runs: [], lookedUntil: undefined }
      : await listRuns(sources.database, customerId, { ...filter, limit: filter.limit + 1 })
  const includes = query.include ?? []
  const newest = found.runs.slice(0, filter.limit)
  const runs = includes.includes('steps') ? limitEvents(newest) : newest
  return limitBytes(runTexts(sources, { customerId, runs, includes }), found, maxBytes)
}

/** The steps are read from events. The page has at least one run, however many events that has. */
function limitEvents(runs: readonly ListedRunRecord[]): ListedRunRecord[] {
  let events = 0
  return runs.filter((run, index) => {
    events += run.events
    return index === 0 || events <= maxStepEvents
  })
}

async function* limitBytes(
  texts: AsyncIterable<ListedText>,
  { runs, lookedUntil }: FoundRuns,
  maxBytes: number,
): RunPage {
  let [count, bytes] = [0, 0]
  for await (const listed of texts) {
    bytes += Buffer.byteLength(listed.text)
    if (bytes > maxBytes && count > 0) break
    yield listed
    count += 1
  }
  const last = runs[count - 1]
  if (last && runs.length > count) return cursorOf({ createdAtMs: last.createdAt.getTime(), id: last.id })
  return lookedUntil ? cursorOf(lookedUntil) : null
}

interface Runs {
  readonly customerId: string
  readonly runs: readonly ListedRunRecord[]
  readonly includes: readonly RunListInclude[]
}

/** The steps of a run can take a few megabytes. */
const runsWithSteps = 4

const groupsOf = (includes: readonly RunListInclude[]) => ({
  bytesOf: ({ result, questionBytes }: ListedRunRecord) =>
    (includes.includes('result') || includes.includes('output') ? (result?.bytes ?? 0) : 0) +
    (includes.includes('awaiting_input') ? questionBytes : 0),
  maxBytes: 256 * 1024,
  maxItems: includes.includes('steps') ? runsWithSteps : maxPageSize,
})

/** A page of small runs is one group. Large results and questions are read in groups: few of them are in memory. */
async function* runTexts(sources: PartSources, { customerId, runs, includes }: Runs) {
  for (const group of groupByBytes(runs, groupsOf(includes))) {
    const ids = includes.includes('result') ? group.filter(({ result }) => result).map(({ id }) => id) : []
    const results = ids.length > 0 ? await findResults(sources.database, customerId, ids) : new Map<string, string>()
    const partsOf = await readParts(sources, { customerId, runs: group }, includes.filter(isRunPart))
    for (const run of group) {
      yield { id: run.id, text: runJson(run, { result: results.get(run.id), otherFields: partsOf(run.id) }) }
    }
  }
}
