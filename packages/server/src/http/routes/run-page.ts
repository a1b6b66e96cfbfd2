// A page of the list of runs. It ends at `limit` or at `maxPageBytes`, whichever comes first.
import { type ListRunsQuery, maxPageBytes, type RunListInclude } from '@runwright/contract'
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findResults, type ListedRunRecord, listRuns } from '../../store/runs/runs.ts'
import { cursorOf } from './run-cursor.ts'
import { filterOf } from './run-filter.ts'
import { includedParts } from './run-includes.ts'
import { listedRunJson } from './run-view.ts'

interface RunPage {
  /** The JSON of each run. */
  readonly runs: readonly string[]
  readonly nextCursor: string | null
}

export async function readRunPage(database: Database, customerId: string, query: ListRunsQuery): Promise<RunPage> {
  const filter = filterOf(query)
  if (filter.states?.length === 0) return { runs: [], nextCursor: null }
  const found = await listRuns(database, customerId, { ...filter, limit: filter.limit + 1 })
  const runs = await fillPage(database, customerId, found.slice(0, filter.limit), query.include ?? [])
  const last = found[runs.length - 1]
  return { runs, nextCursor: last && found.length > runs.length ? cursorOf(last) : null }
}

async function fillPage(
  database: Database,
  customerId: string,
  found: readonly ListedRunRecord[],
  includes: readonly RunListInclude[],
): Promise<string[]> {
  const results = includes.includes('result') ? await readResults(database, customerId, found) : undefined
  const parts = includes.filter((name) => name !== 'result')
  const page: string[] = []
  let bytes = 0
  for (const run of found) {
    // Not read: with it, the page would be too large.
    if (results && run.result && !results.has(run.id)) break
    const included = await readParts(database, { customerId, run }, parts)
    const text = listedRunJson(run, { result: results?.get(run.id), included })
    bytes += Buffer.byteLength(text)
    if (bytes > maxPageBytes && page.length > 0) break
    page.push(text)
  }
  return page
}

/** The results of the first runs, as many as fit on a page, but at least one. */
async function readResults(database: Database, customerId: string, found: readonly ListedRunRecord[]) {
  const ids: string[] = []
  let bytes = 0
  for (const { id, result } of found) {
    if (!result) continue
    bytes += result.bytes
    if (bytes > maxPageBytes && ids.length > 0) break
    ids.push(id)
  }
  return ids.length > 0 ? findResults(database, customerId, ids) : new Map<string, string>()
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
  database: Database,
  { customerId, run }: { readonly customerId: string; readonly run: ListedRunRecord },
  names: readonly Part[],
): Promise<Record<string, unknown>> {
  if (names.length === 0) return {}
  const none = Object.fromEntries(names.map((name) => [name, null]))
  const possible = names.filter((name) => canHave[name](run.state))
  return { ...none, ...(await includedParts(database, { customerId, runId: run.id }, possible)) }
}
