// Reads the parts that `include` adds to runs, for one run or a whole page with one statement each: titles, origins,
// waits, limits and usage. The results are by run id; a run that has no such part is missing.
import type { Database } from '../postgres/database.ts'
import { lookUp, rowsOf } from '../postgres/look-up.ts'
import { type Question, readQuestion } from './question.ts'
import { type FoundRunRow, foundColumns, foundRun, type RunRecord, runOf } from './runs.ts'

type Parts<Part> = Promise<Map<string, Part>>

export async function findTitles(database: Database, customerId: string, ids: readonly string[]): Parts<string> {
  const rows = await database.query<{ run_id: string; title: string }>({
    name: 'find-titles',
    text: `
select run_id, title
from ${rowsOf('run_inputs', 'run_id')}
where title is not null`,
    values: [customerId, ids],
  })
  return new Map(rows.map(({ run_id, title }) => [run_id, title]))
}

export interface OriginRecord {
  readonly runId: string
  readonly stepId: string
}

/** Where forks come from. */
export async function findOrigins(database: Database, customerId: string, ids: readonly string[]): Parts<OriginRecord> {
  const rows = await database.query<{ run_id: string; forked_from: string; forked_step: string }>({
    name: 'find-origins',
    text: `
select run_id, forked_from, forked_step
from ${rowsOf('run_inputs', 'run_id')}
where forked_from is not null`,
    values: [customerId, ids],
  })
  return new Map(rows.map((row) => [row.run_id, { runId: row.forked_from, stepId: row.forked_step }]))
}

export interface WaitRecord extends Question {
  readonly seq: number
  readonly since: Date
  readonly expiresAt: Date
  /** Which answers count so far, oldest first. */
  readonly votes: readonly CountedVote[]
}

export interface CountedVote {
  /** Its number in `votes`. */
  readonly nth: number
  /** Of what it says. */
  readonly bytes: number
}

type WaitRow = {
  await_seq: number
  wait: string
  wait_content: string
  votes: string | null
  since: Date
  await_until: Date
}

const waitColumns = 'r.await_seq, r.wait, r.wait_content, r.votes, r.updated_at as since, r.await_until'

export async function findWaits(database: Database, customerId: string, ids: readonly string[]): Parts<WaitRecord> {
  const rows = await database.query<WaitRow & { id: string }>({
    name: 'find-waits',
    text: `
select r.id, ${waitColumns}
from ${rowsOf('runs', 'id', 'r')}
where r.await_seq is not null`,
    values: [customerId, ids],
  })
  return new Map(rows.map((row) => [row.id, waitOf(row)]))
}

/** The run and what it waits for, at one moment. In two statements, the run could be answered or cancelled between. */
export async function findRunAndWait(
  database: Database,
  customerId: string,
  id: string,
): Promise<{ readonly run: RunRecord; readonly wait: WaitRecord | undefined } | undefined> {
  const [row] = await database.query<FoundRunRow & { [Column in keyof WaitRow]: WaitRow[Column] | null }>({
    name: 'find-run-and-wait',
    text: `
select ${foundColumns}, ${waitColumns}
${foundRun}`,
    values: [id, customerId],
  })
  return row && { run: runOf(row), wait: row.await_seq === null ? undefined : waitOf(row as WaitRow) }
}

const waitOf = ({ wait, wait_content, await_seq: seq, since, await_until: expiresAt, votes }: WaitRow): WaitRecord => ({
  ...readQuestion(wait, wait_content),
  seq,
  since,
  expiresAt,
  votes: countedVotes(votes),
})

export const countedVotes = (votes: string | null): CountedVote[] =>
  votes === null ? [] : (JSON.parse(votes) as CountedVote[]).map(({ nth, bytes }) => ({ nth, bytes }))

export interface LimitsRecord {
  readonly tokens: number
  readonly durationSeconds: number
  readonly signalTimeoutSeconds: number
}

export async function findLimits(database: Database, customerId: string, ids: readonly string[]): Parts<LimitsRecord> {
  const rows = await database.query<{
    run_id: string
    token_limit: number
    duration_seconds: number
    signal_timeout_seconds: number
  }>({
    name: 'find-limits',
    text: `
select run_id, token_limit, duration_seconds, signal_timeout_seconds
from ${rowsOf('run_inputs', 'run_id')}`,
    values: [customerId, ids],
  })
  return new Map(
    rows.map((row) => [
      row.run_id,
      {
        tokens: row.token_limit,
        durationSeconds: row.duration_seconds,
        signalTimeoutSeconds: row.signal_timeout_seconds,
      },
    ]),
  )
}

export interface RunUsageRecord {
  readonly tokens: number
  readonly steps: number
  readonly toolCalls: number
}

export async function findRunUsages(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Parts<RunUsageRecord> {
  const rows = await database.query<{ id: string; tokens: number; steps: number; tool_calls: number }>({
    name: 'find-run-usages',
    text: `
select r.id, r.tokens,
  count(*) filter (where u.event_type = 'task.completed') as steps,
  count(*) filter (where u.event_type = 'tool.invoked') as tool_calls
from ${rowsOf('runs', 'id', 'r')}
left join usage_rows u on ${lookUp({ 'u.customer_id': 'r.customer_id', 'u.run_id': 'r.id' })}
group by r.customer_id, r.id`,
    values: [customerId, ids],
  })
  return new Map(rows.map(({ id, tokens, steps, tool_calls: toolCalls }) => [id, { tokens, steps, toolCalls }]))
}

/** The structured output of runs that have succeeded, as JSON text. */
export async function findOutputs(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.query<{ run_id: string; output: string | null }>({
    name: 'find-outputs',
    text: `
select o.run_id, o.value->'output' as output
from ${rowsOf('run_results', 'run_id', 'o')}`,
    values: [customerId, ids],
  })
  return new Map(rows.flatMap(({ run_id, output }) => (output === null ? [] : [[run_id, output] as const])))
}
