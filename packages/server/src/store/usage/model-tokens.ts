// Adds up tokens by model, which is all that a program with prices needs to know. Every query names the customer.
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Database } from '../postgres/database.ts'
import { beganWith } from './began-with.ts'
import { isIndexed } from './records.ts'

export const tokenGroups = ['run', 'agent', 'subject', 'workspace', 'month', 'model'] as const
export type TokenGroup = (typeof tokenGroups)[number]

/** The tokens of the calls to a model that have, or lack, the same counts. */
export interface ModelTokens {
  /** Null: nothing is known of the calls, as for those of the sandbox. */
  readonly model: string | null
  readonly total: number
  /** Undefined: the provider did not say. */
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached: number | undefined
}

export interface GroupTokens extends ModelTokens {
  /** The id of a run is a uuid. Null: no agent, subject, workspace or model is known, or the run is removed. */
  readonly key: string | null
  /** The tokens of all keys but those with the most tokens. */
  readonly isRest: boolean
}

/** Those of a run, by the month of the calls. */
export interface MonthTokens extends ModelTokens {
  /** In UTC, such as `2026-11`. */
  readonly month: string
}

interface TokenQuestion {
  readonly customerId: string
  readonly by: TokenGroup
  readonly range: UsageRange
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly agent: string | undefined
  /** How many keys have rows of their own: those with the most tokens. */
  readonly maxKeys: number
}

type SumRow = {
  model: string | null
  total: number
  input: number | null
  output: number | null
  cached: number | null
}

const counted = (count: 'input' | 'output' | 'cached') => `(details->>'${count}')::numeric`

/** The model, and the sums of input, output and cached tokens. */
export const tokenCounts = `
  details->>'model' as model,
  round(sum(${counted('input')}))::bigint as input,
  round(sum(${counted('output')}))::bigint as output,
  round(sum(least(${counted('cached')}, ${counted('input')})) filter (where details->>'cached' is not null))::bigint as cached`

const sums = `${tokenCounts},
  sum(quantity)::bigint as total`

/** Calls without a count are apart from those with it: only then do the sums say what a call says. */
export const alikeTokens = `details->>'model', details->>'input' is null, details->>'output' is null`

const areTokens = `event_type = 'tokens.consumed'`

const toTokens = ({ model, total, input, output, cached }: SumRow): ModelTokens => ({
  model,
  total,
  input: input ?? undefined,
  output: output ?? undefined,
  cached: cached ?? undefined,
})

export async function readRunTokens(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
): Promise<MonthTokens[]> {
  const rows = await database.query<SumRow & { month: string }>({
    name: 'read-run-tokens',
    text: `
select ${keyOfRecord.month} as month,${sums}
from usage_rows
where customer_id = $1 and run_id = $2 and ${areTokens}
group by 1, ${alikeTokens}
order by 1, total desc, model`,
    values: [run.customerId, run.id],
  })
  return rows.map((row) => ({ ...toTokens(row), month: row.month }))
}

const keyOfRecord: Readonly<Record<TokenGroup, string>> = {
  run: 'run_id::text',
  agent: 'run_id::text',
  subject: 'subject_id',
  workspace: 'workspace_id',
  month: `to_char(at at time zone 'UTC', 'YYYY-MM')`,
  model: `details->>'model'`,
}

const keyOfRemoved: Readonly<Record<TokenGroup, string>> = {
  run: 'null',
  agent: 'agent',
  subject: 'subject_id',
  workspace: 'workspace_id',
  month: `to_char(hour at time zone 'UTC', 'YYYY-MM')`,
  model: 'model',
}

/** Those with the most tokens first; the others are added up. */
export async function readGroupTokens(database: Database, question: TokenQuestion): Promise<GroupTokens[]> {
  const { by, customerId, range, workspaceId, subjectId, agent, maxKeys } = question
  const values: unknown[] = [customerId, range.start, range.end, maxKeys]
  const conditions = ['customer_id = $1', areTokens]
  if (workspaceId !== undefined) conditions.push(`workspace_id = $${values.push(workspaceId)}`)
  if (subjectId !== undefined) conditions.push(`subject_id = $${values.push(subjectId)}`)
  const rows = await database.query<SumRow & { key: string | null; is_rest: boolean }>({
    text: statementFor(by, conditions.join(' and '), agent === undefined ? undefined : `$${values.push(agent)}`),
    values,
  })
  return rows.map((row) => ({ ...toTokens(row), key: row.key, isRest: row.is_rest }))
}

const between = (column: string) => `${column} >= $2::timestamptz and ${column} < $3::timestamptz`

const counts = 'model, total, input, output, cached'

/** Of a record, the key is the run at first. The index finds the agent of a run. */
const agentsOfRuns = `
  select j.body->'agent'->>'name', ${counts}
  from recorded r
  left join journal j on ${beganWith({ customerId: '$1', runId: 'r.key::uuid' })}`

const isOf = (agent: string) => ({
  record: ` and exists (
    select from journal j
    where ${beganWith({ customerId: '$1', runId: 'usage_rows.run_id' })} and j.body->'agent'->>'name' = ${agent})`,
  removed: ` and agent = ${agent}`,
})

const ofAnyAgent = { record: '', removed: '' }

/** The agent is a placeholder of the statement. */
function statementFor(by: TokenGroup, conditions: string, agent: string | undefined): string {
  const { record, removed } = agent === undefined ? ofAnyAgent : isOf(agent)
  return `
with recorded as (
  select ${keyOfRecord[by]} as key,${sums}
  from usage_rows
  where ${conditions} and ${isIndexed} and ${between('at')}${record}
  group by 1, ${alikeTokens}
), named (key, ${counts}) as (
  ${by === 'agent' ? agentsOfRuns : `select key, ${counts} from recorded`}
  union all
  select ${keyOfRemoved[by]}, model, sum(quantity)::bigint, sum(input)::bigint, sum(output)::bigint,
    sum(cached)::bigint
  from removed_usage
  where ${conditions} and ${between('hour')}${removed}
  group by 1, 2, input is null, output is null
), placed as (
  select *, dense_rank() over (order by of_key desc, key) as place
  from (select *, sum(total) over (partition by key) as of_key from named) keyed
)
select case when place <= $4 then key end as key, place > $4 as is_rest,
  model, sum(total)::bigint as total, sum(input)::bigint as input, sum(output)::bigint as output,
  sum(cached)::bigint as cached
from placed
group by 1, 2, model, input is null, output is null
order by min(place), total desc, model`
}
