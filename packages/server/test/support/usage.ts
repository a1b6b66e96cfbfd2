// Usage without runs: records as the log writes them, together with their deltas, and the plain sum to compare with.
import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/store/postgres/database.ts'
import type { UsageQuestion } from '../../src/store/usage/question.ts'

export interface SomeUsage {
  readonly at: string
  readonly eventType?: string
  readonly quantity?: number
  readonly workspaceId?: string | null
  readonly subjectId?: string | null
  readonly details?: Readonly<Record<string, number | string>>
}

/** Like a flush of the log: records, and their deltas by hour, in one statement. */
export async function recordUsages(
  database: Database,
  customerId: string,
  usages: readonly SomeUsage[],
): Promise<void> {
  await database.run({
    text: `
      with record as (
        insert into usage_rows (run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at, details)
        select gen_random_uuid(), $1, $2, "workspaceId", "subjectId", coalesce("eventType", 'run.created'),
          coalesce(quantity, 1), at, details
        from json_to_recordset($3::json)
          as u("at" timestamptz, "eventType" text, quantity bigint, "workspaceId" text, "subjectId" text, details json)
        returning *
      )
      insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
      select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, count(*), sum(quantity)
      from record
      group by 1, 2, 3, 4, 5`,
    values: [randomUUID(), customerId, JSON.stringify(usages)],
  })
}

type PlainRow = Record<'period' | 'event_type' | 'workspace_id' | 'subject_id', string | null> &
  Record<'count' | 'quantity', number>

const formats = { hour: 'YYYY-MM-DD"T"HH24:MI:SS"Z"', day: 'YYYY-MM-DD', month: 'YYYY-MM' } as const

/** The same answer, added up from the records alone. */
export async function plainUsage(database: Pick<Database, 'run'>, question: UsageQuestion) {
  const { customerId, range, granularity, workspaceId, subjectId, eventType, byWorkspace, bySubject } = question
  const rows = await database.run<PlainRow>({
    text: `
      select to_char(date_trunc('${granularity}', at at time zone 'UTC'), '${formats[granularity]}') as period, event_type,
        case when $7 then workspace_id end collate "C" as workspace_id,
        case when $8 then subject_id end collate "C" as subject_id,
        count(*) as count, sum(quantity)::bigint as quantity
      from usage_records
      where customer_id = $1 and at >= $2 and at < $3 and ($4::text is null or workspace_id = $4)
        and ($5::text is null or subject_id = $5) and ($6::text is null or event_type = $6)
      group by 1, 2, 3, 4
      order by 1, event_type collate "C", 3 nulls first, 4 nulls first`,
    values: [
      ...[customerId, range.start, range.end, workspaceId, subjectId, eventType],
      ...[byWorkspace || workspaceId !== undefined, bySubject || subjectId !== undefined],
    ],
  })
  return rows.map(({ event_type, workspace_id, subject_id, ...row }) => ({
    ...row,
    eventType: event_type,
    workspaceId: workspace_id,
    subjectId: subject_id,
  }))
}

/** Everything the work reads is of one moment, whatever others write meanwhile. */
export const inOneSnapshot = <T>(database: Database, work: (snapshot: Database) => Promise<T>): Promise<T> =>
  database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read')
    const run = async ({ text, values = [] }: Parameters<Database['run']>[0]) =>
      (await client.query(text, [...values])).rows
    return work({ run, query: run } as unknown as Database)
  })
