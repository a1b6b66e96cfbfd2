// Adds up tokens by model, which is all that a program with prices needs to know. Every query names the customer.
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Database } from '../postgres/database.ts'
import { beganWith } from '../runs/run-agents.ts'
import type { RunKey } from '../runs/run-key.ts'
import { isIndexed } from './records.ts'

export const tokenGroups = ['agent', 'subject', 'workspace', 'month', 'model'] as const
export type TokenGroup = (typeof tokenGroups)[number]

/** The tokens of the calls to a model that have, or lack, the same counts. */
export interface ModelTokens {
  /** Null: nothing is known of the calls, as for those of the sandbox and of removed runs. */
  readonly model: string | null
  readonly total: number
  /** Undefined: the provider did not say. */
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached: number | undefined
}

export interface GroupTokens extends ModelTokens {
  /** Null: no agent, subject, workspace or model is known. */
  readonly key: string | null
  /** The tokens of all keys but those with the most tokens. */
  readonly isRest: boolean
}

interface TokenQuestion {
  readonly customerId: string
  readonly by: TokenGroup
  readonly range: UsageRange
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
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

/** Calls without a count are apart from those with it: only then do the sums say what a call says. */
const sums = `
  details->>'model' as model,
  sum(quantity)::bigint as total,
  round(sum(${counted('input')}))::bigint as input,
  round(sum(${counted('output')}))::bigint as output,
  round(sum(least(${counted('cached')}, ${counted('input')})) filter (where details->>'cached' is not null))::bigint as cached`
const alike = `details->>'model', details->>'input' is null, details->>'output' is null`

const areTokens = `event_type = 'tokens.consumed'`

const toTokens = ({ model, total, input, output, cached }: SumRow): ModelTokens => ({
  model,
  total,
  input: input ?? undefined,
  output: output ?? undefined,
  cached: cached ?? undefined,
})

export async function readRunTokens(database: Database, run: RunKey): Promise<ModelTokens[]> {
  const rows = await database.query<SumRow>({
    name: 'read-run-tokens',
    text: `
select${sums}
from usage_rows
where customer_id = $1 and run_id = $2 and ${areTokens}
group by ${alike}
order by total desc, model`,
    values: [run.customerId, run.id],
  })
  return rows.map(toTokens)
}

const keyOfRecord: Readonly<Record<TokenGroup, string>> = {
  agent: 'run_id::text',
  subject: 'subject_id',
  workspace: 'workspace_id',
  month: `to_char(at at time zone 'UTC', 'YYYY-MM')`,
  model: `details->>'model'`,
}

/** Their records are gone, and with them the models. */
const keyOfRemoved: Readonly<Record<TokenGroup, string>> = {
  agent: 'null',
  subject: 'subject_id',
  workspace: 'workspace_id',
  month: `to_char(hour at time zone 'UTC', 'YYYY-MM')`,
  model: 'null',
}

/** Those with the most tokens first; the others are added up. */
export async function readGroupTokens(database: Database, question: TokenQuestion): Promise<GroupTokens[]> {
  const { by, customerId, range, workspaceId, subjectId, maxKeys } = question
  const values: unknown[] = [customerId, range.start, range.end, maxKeys]
  const conditions = ['customer_id = $1', areTokens]
  if (workspaceId !== undefined) conditions.push(`workspace_id = $${values.push(workspaceId)}`)
  if (subjectId !== undefined) conditions.push(`subject_id = $${values.push(subjectId)}`)
  const rows = await database.query<SumRow & { key: string | null; is_rest: boolean }>({
    text: statementFor(by, conditions.join(' and ')),
    values,
  })
  return rows.map((row) => ({ ...toTokens(row), key: row.key, isRest: row.is_rest }))
}

const between = (column: string) => `${column} >= $2::timestamptz and ${column} < $3::timestamptz`

const agentsOfRuns = `
  left join journal j on ${beganWith({ customerId: '$1', runId: 'calls.key::uuid' })}`

const statementFor = (by: TokenGroup, conditions: string): string => `
with calls as (
  select ${keyOfRecord[by]} as key,${sums}
  from usage_rows
  where ${conditions} and ${isIndexed} and ${between('at')}
  group by 1, ${alike}
  union all
  select ${keyOfRemoved[by]}, null, sum(quantity)::bigint, null, null, null
  from removed_usage
  where ${conditions} and ${between('hour')}
  group by 1
), named as (
  select ${by === 'agent' ? `j.body->'agent'->>'name'` : 'calls.key'} as key,
    model, total, input, output, cached
  from calls${by === 'agent' ? agentsOfRuns : ''}
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
