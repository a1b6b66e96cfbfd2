// Reads a page of the list of runs, newest first. The page looks at a limited number of runs if a filter has no index.
import type { RunClass } from '@runwright/contract'
import type { RunState } from '../../domain/run/states.ts'
import type { UuidRange } from '../../runtime/ids.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { isAssignedTo, type ListCaller } from './assigned-runs.ts'
import { failedWith } from './failures.ts'
import { hasAgent } from './run-agents.ts'
import { fieldsOf, type ListedRunRecord, type RunRow, resultOf, runColumns } from './runs.ts'

export interface RunPosition {
  readonly createdAtMs: number
  readonly id: string
}

/** Which runs a list or a count is about. */
export interface RunScope {
  readonly states: readonly RunState[] | undefined
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly runClass: RunClass | undefined
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
}

/** What no index finds. */
export interface RunSearch {
  readonly agent: { readonly name: string; readonly mayBeNamed: boolean } | undefined
  /** The reason code of the failure. */
  readonly error: string | undefined
  /** The title has all of these words, or the id is in the range. */
  readonly text: { readonly words: readonly string[]; readonly ids: UuidRange | undefined } | undefined
}

export interface RunFilter extends RunScope {
  /** Only runs of this schedule. */
  readonly scheduleId: string | undefined
  /** Only this run. */
  readonly id: string | undefined
  readonly search: RunSearch | undefined
  /** Only runs whose question this caller may decide, and has not decided. Undefined: all. */
  readonly assignedTo?: ListCaller | undefined
  /** Only runs older than this one. */
  readonly before: RunPosition | undefined
  readonly limit: number
}

export interface FoundRuns {
  readonly runs: readonly ListedRunRecord[]
  /** The last run that was looked at, if there may be older runs that match. */
  readonly lookedUntil: RunPosition | undefined
}

/** How many runs a page looks at if it searches. */
export const maxSearchedRuns = 10_000

const newestFirst = 'order by r.created_at desc, r.id desc'

export async function listRuns(database: Database, customerId: string, filter: RunFilter): Promise<FoundRuns> {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const { runClass, search, assignedTo, ...scope } = filter
  const indexed = [
    ...scopeConditions(customerId, { ...scope, runClass: undefined }, bind),
    ...positionConditions(filter, bind),
  ]
  const source = sourceOf(customerId, filter, bind)
  const limit = bind(filter.limit)
  const searched = [
    ...(runClass === undefined ? [] : [ofClass(runClass, bind)]),
    ...(search ? searchConditions(search, bind) : []),
    ...(assignedTo ? [isAssignedTo(assignedTo, customerId, bind)] : []),
  ]
  const text =
    searched.length === 0
      ? pageText(candidatesText({ source, conditions: indexed, limit }))
      : searchText({ source, indexed, searched, limit, hasWaits: assignedTo !== undefined })
  return toFoundRuns(await database.query<ListedRow>({ text, values }))
}

type Bind = (value: unknown) => string

/** The second condition is true for every run: it is that of the index `runs_newest`. */
export function scopeConditions(customerId: string, scope: RunScope, bind: Bind): string[] {
  const conditions = [`r.customer_id = ${bind(customerId)}`, "r.created_at > '-infinity'"]
  if (scope.states) conditions.push(inStates(scope.states))
  if (scope.workspaceId !== undefined) conditions.push(`r.workspace_id = ${bind(scope.workspaceId)}`)
  if (scope.subjectId !== undefined) conditions.push(`r.subject_id = ${bind(scope.subjectId)}`)
  if (scope.runClass !== undefined) conditions.push(ofClass(scope.runClass, bind))
  if (scope.createdAfter !== undefined) conditions.push(`r.created_at >= ${bind(scope.createdAfter)}::timestamptz`)
  if (scope.createdBefore !== undefined) conditions.push(`r.created_at < ${bind(scope.createdBefore)}::timestamptz`)
  return conditions
}

/** No index has it: there are so few classes that a rare one is looked for among all runs. */
export const ofClass = (runClass: RunClass, bind: Bind): string => `r.run_class = ${bind(runClass)}`

// The states are literals, not a parameter: only then can the planner prove that the partial index applies.
const inStates = (states: readonly RunState[]) => `r.state in (${states.map((state) => `'${state}'`).join(', ')})`

function positionConditions({ id, before }: RunFilter, bind: Bind): string[] {
  const conditions: string[] = []
  if (id !== undefined) conditions.push(`r.id = ${bind(id)}::uuid`)
  if (before) {
    const position = `(to_timestamp(${bind(before.createdAtMs)}::numeric / 1000), ${bind(before.id)}::uuid)`
    conditions.push(`(r.created_at, r.id) < ${position}`)
  }
  return conditions
}

/**
 * All runs, or those of a schedule: by their idempotency keys, which begin with its id, so that `runs_idempotency` has
 * them by tick. With `offset 0`, PostgreSQL finds them first, instead of reading all runs of the customer by time.
 */
function sourceOf(customerId: string, { scheduleId }: RunFilter, bind: Bind): string {
  if (scheduleId === undefined) return 'runs'
  const prefix = `schedule:${scheduleId}`
  const customer = bind(customerId)
  return `(
    select *
    from runs
    where customer_id = ${customer} and id = any (array (
      select s.id
      from runs s
      where s.customer_id = ${customer}
        and s.idempotency_key >= ${bind(`${prefix}:`)}
        and s.idempotency_key < ${bind(`${prefix};`)}
      order by s.idempotency_key desc
      limit ${maxSearchedRuns}
    ))
    offset 0
  )`
}

function searchConditions({ agent, error, text }: RunSearch, bind: Bind): string[] {
  const conditions: string[] = []
  if (agent) conditions.push(hasAgent(bind(agent.name), agent))
  if (error !== undefined) conditions.push(failedWith(bind(error)))
  if (text) {
    const inTitle = hasTitle(text.words.map(bind))
    const { ids } = text
    conditions.push(ids ? `(r.id between ${bind(ids.from)}::uuid and ${bind(ids.to)}::uuid or ${inTitle})` : inTitle)
  }
  return conditions
}

const hasTitle = (words: readonly string[]): string => `exists (
  select 1
  from run_inputs i
  where ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}
    and ${words.map((word) => `strpos(lower(i.title), lower(${word})) > 0`).join(' and ')}
)`

interface CandidateTexts {
  /** The table, or a part of it. */
  readonly source: string
  readonly conditions: readonly string[]
  readonly limit: number | string
  readonly hasWaits?: boolean
}

/** The newest runs that indexes find. */
const candidatesText = ({ source, conditions, limit, hasWaits = false }: CandidateTexts) => `
  select r.customer_id, r.id, r.workspace_id, r.subject_id, r.run_class, r.state, r.attempt, r.next_seq, r.created_at,
    r.updated_at, r.wait_content, r.votes${hasWaits ? ', r.wait' : ''}
  from ${source} r
  where ${conditions.join(' and ')}
  ${newestFirst}
  limit ${limit}`

// Measured after the limit: PostgreSQL reads the whole question for it.
const listedColumns = `${runColumns}, o.size as result_bytes, octet_length(r.wait_content::text)
    + (select coalesce(sum((v->>'bytes')::integer), 0) from json_array_elements(r.votes) v) as question_bytes,
  r.next_seq - 1 as events`

const pageText = (page: string): string => `
select ${listedColumns}, false as is_end
from (${page}
) r
left join run_results o on ${lookUp({ 'o.customer_id': 'r.customer_id', 'o.run_id': 'r.id' })}
${newestFirst}`

interface SearchTexts {
  readonly source: string
  readonly indexed: readonly string[]
  readonly searched: readonly string[]
  readonly limit: string
  readonly hasWaits: boolean
}

/**
 * Both limits are in subqueries, so however few runs match, no more than `maxSearchedRuns` are looked at. If the page
 * is not full, the last row is the last run that was looked at. PostgreSQL looks for it only then.
 */
const searchText = ({ source, indexed, searched, limit, hasWaits }: SearchTexts): string => `
with page as materialized (
  select *
  from (${candidatesText({ source, conditions: indexed, limit: maxSearchedRuns, hasWaits })}
  ) r
  where ${searched.join(' and ')}
  ${newestFirst}
  limit ${limit}
)
select *
from (${pageText('\n  select *\n  from page')}
) listed
union all
select r.id, null, null, r.run_class, r.state, (extract(epoch from r.created_at) * 1000)::bigint, 0, null, null, null, 0,
  true
from (${candidatesText({ source, conditions: indexed, limit: `1 offset ${maxSearchedRuns - 1}` })}
) r
where (select count(*) from page) < ${limit}`

type ListedRow = RunRow & { result_bytes: number; question_bytes: number | null; events: number; is_end: boolean }

function toFoundRuns(rows: readonly ListedRow[]): FoundRuns {
  const end = rows.find(({ is_end }) => is_end)
  const runs = rows
    .filter(({ is_end }) => !is_end)
    .map((row) => ({
      ...fieldsOf(row),
      result: resultOf(row, { bytes: row.result_bytes }),
      questionBytes: row.question_bytes ?? 0,
      events: row.events,
    }))
  return { runs, lookedUntil: end && { createdAtMs: end.created_ms, id: end.id } }
}
