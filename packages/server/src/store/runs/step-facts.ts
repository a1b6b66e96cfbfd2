// Reads what is known of the steps of runs: the journal without what only an execution needs, the ends and beginnings
// of steps, and the answers to gates. Texts are limited in bytes, from the newest step backwards.
import type { SignalAction, StepOutcome } from '@runwright/contract'
import { parseLists } from '../../domain/json/parse-items.ts'
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import type { Answer } from '../../domain/run/progress.ts'
import type { RunState } from '../../domain/run/states.ts'
import { inTurns, Turn } from '../../runtime/turns.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp, rowsOf } from '../postgres/look-up.ts'
import { leftOut } from './signals.ts'

/** How many bytes of texts and of outputs of steps one read returns for a run. */
export const maxStepBytes = 1024 * 1024

export interface StepFacts {
  readonly state: RunState
  readonly attempt: number
  /** While the run waits: since when. */
  readonly updatedAt: Date
  /** As it came with the run. */
  readonly plan: unknown
  readonly firstRole: 'planner' | 'worker'
  readonly entries: JournalEntry[]
  readonly answers: (Answer & { readonly at: Date; readonly askedAt: Date | undefined })[]
  readonly ends: EndRecord[]
  /** By task id, and by task key for what the turns say. */
  readonly begins: Map<string, Date>
}

export interface EndRecord {
  readonly taskId: string
  readonly at: Date
  readonly outcome: StepOutcome
  readonly content: string
  readonly reasonCode: string | null
  readonly message: string | null
}

/** By run id. */
export async function findStepFacts(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, StepFacts>> {
  const values = [customerId, ids]
  const [origins, entries, answers, ends, begins] = await Promise.all([
    database.query<OriginRow>({ name: 'find-step-origins', text: originStatement, values }),
    database.query<EntryRow>({ name: 'find-step-entries', text: entryStatement, values: [...values, maxStepBytes] }),
    database.query<AnswerRow>({ name: 'find-step-answers', text: answerStatement, values: [...values, maxStepBytes] }),
    database.query<EndRow>({ name: 'find-step-ends', text: endStatement, values: [...values, maxStepBytes] }),
    database.query<BeginRow>({ name: 'find-step-begins', text: beginStatement, values }),
  ])
  const facts = new Map(origins.map((row) => [row.run_id, factsOf(row)]))
  const turn = new Turn()
  for (const { run_id, key, body } of entries) {
    const parsed = key.startsWith('kept:') ? await inTurns(parseLists(body)) : JSON.parse(body)
    facts.get(run_id)?.entries.push(readJournalEntry(key, parsed))
    if (turn.isOver) await turn.next()
  }
  for (const row of answers) {
    facts.get(row.run_id)?.answers.push(toAnswer(row))
    if (turn.isOver) await turn.next()
  }
  for (const row of ends) facts.get(row.run_id)?.ends.push(toEnd(row))
  for (const { run_id, task, at } of begins) facts.get(run_id)?.begins.set(task, at)
  return facts
}

interface OriginRow extends Record<string, unknown> {
  readonly run_id: string
  readonly state: RunState
  readonly attempt: number
  readonly updated_at: Date
  readonly plan: string | null
  readonly first_role: 'planner' | 'worker' | null
}

const originStatement = `
select r.id as run_id, r.state, r.attempt, r.updated_at, i.plan,
  i.created_payload->'routing'->>'first_role' as first_role
from ${rowsOf('runs', 'id', 'r')}
left join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}`

const factsOf = ({ state, attempt, updated_at, plan, first_role }: OriginRow): StepFacts => ({
  state,
  attempt,
  updatedAt: updated_at,
  plan: plan === null ? undefined : JSON.parse(plan),
  firstRole: first_role ?? 'planner',
  entries: [],
  answers: [],
  ends: [],
  begins: new Map(),
})

interface EntryRow extends Record<string, unknown> {
  readonly run_id: string
  readonly key: string
  readonly body: string
}

// The text of a step is taken from its event.
const entryStatement = `
with entry as (
  select j.run_id, j.key, j.body, j.key like 'done:%' as is_done, octet_length(j.body::text) as bytes
  from ${rowsOf('journal', 'run_id', 'j')}
  where j.key ~ '^(done|fail|plan|carried|unplanned|replan|next|await|resolved|stop|kept):'
),
sized as (
  select *, sum(bytes) filter (where is_done)
    over (partition by run_id order by (body->>'order')::integer desc nulls last, key) as sum
  from entry
)
select run_id, key,
  case
    when is_done and sum > $3 then json_build_object(
      'stepId', body->'stepId', 'kind', body->'kind', 'order', body->'order', 'redacted', body->'redacted',
      'content', '', 'output', '(' || to_char(bytes, 'FM999,999,999') || ' bytes left out)…'
    )
    else body
  end as body
from sized
order by run_id, key`

interface AnswerRow extends Record<string, unknown> {
  readonly run_id: string
  readonly action: SignalAction
  readonly payload: string | null
  readonly bytes: number | null
  readonly wait_key: string | null
  readonly call: string | null
  readonly at: Date
  readonly asked_at: Date | null
}

const answerStatement = `
with sized as (
  select s.customer_id, s.run_id, s.seq, s.action, s.payload, s.wait_key, s.call,
    octet_length(s.payload::text) as bytes,
    sum(octet_length(s.payload::text)) over (partition by s.run_id order by s.seq desc) as sum
  from ${rowsOf('signals', 'run_id', 's')}
)
select s.run_id, s.action, case when s.sum <= $3 then s.payload end as payload, s.bytes, s.wait_key, s.call, e.at, (
  select max(a.at)
  from event_rows a
  where a.customer_id = s.customer_id and a.run_id = s.run_id and a.seq < s.seq and a.type = 'run.awaiting_input'
) as asked_at
from sized s
join event_rows e on ${lookUp({ 'e.customer_id': 's.customer_id', 'e.run_id': 's.run_id', 'e.seq': 's.seq' })}
order by s.run_id, s.seq`

const toAnswer = ({
  action,
  payload,
  bytes,
  wait_key,
  call,
  at,
  asked_at,
}: AnswerRow): StepFacts['answers'][number] => ({
  action,
  payload: payload !== null ? JSON.parse(payload) : bytes === null ? null : leftOut(bytes),
  waitKey: wait_key ?? '',
  ...(call !== null && { call: JSON.parse(call) }),
  at,
  askedAt: asked_at ?? undefined,
})

interface EndRow extends Record<string, unknown> {
  readonly run_id: string
  readonly task_id: string | null
  readonly at: Date
  readonly outcome: StepOutcome
  readonly content: string | null
  readonly bytes: number
  readonly reason_code: string | null
  readonly message: string | null
}

const endStatement = `
with sized as (
  select e.run_id, e.seq, e.at, e.size as bytes, e.payload,
    sum(e.size) over (partition by e.run_id order by e.seq desc) as sum
  from ${rowsOf('event_rows', 'run_id', 'e')}
  where e.type = 'step.done'
)
select run_id, at, bytes, payload->>'task_id' as task_id, payload->>'outcome' as outcome,
  payload->>'reason_code' as reason_code, payload->>'provider_error_message' as message,
  case when sum <= $3 then payload->>'content' end as content
from sized
order by run_id, seq`

const toEnd = ({ task_id, at, outcome, content, bytes, reason_code, message }: EndRow): EndRecord => ({
  taskId: task_id ?? '',
  at,
  outcome,
  content: content ?? leftOut(bytes),
  reasonCode: reason_code,
  message,
})

interface BeginRow extends Record<string, unknown> {
  readonly run_id: string
  readonly task: string
  readonly at: Date
}

// A model is asked before the first event of its step.
const beginStatement = `
select e.run_id, e.payload->>'task_id' as task, min(e.at) as at
from ${rowsOf('event_rows', 'run_id', 'e')}
where e.type in ('step.progress', 'step.done')
group by e.run_id, e.payload->>'task_id'
union all
select t.run_id, t.task_key, min(t.started_at)
from ${rowsOf('turns', 'run_id', 't')}
group by t.run_id, t.task_key`
