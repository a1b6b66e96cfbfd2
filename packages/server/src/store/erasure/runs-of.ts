// Finds the runs of a customer, or of one of its subjects, to end and to remove them.
import { liveStates, terminalStates } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { sqlList } from '../postgres/sql-list.ts'
import type { EndedRun } from '../run-log/remove-runs.ts'

/** A customer with all its data, or the data of one subject. */
export interface DataOwner {
  readonly customerId: string
  /** Left out: everything of the customer. */
  readonly subjectId?: string | undefined
}

export const ofOwner = '($2::text is null or subject_id = $2)'
export const ownerValues = ({ customerId, subjectId }: DataOwner) => [customerId, subjectId]

/** Some of the runs that have not ended. */
export async function findLiveRuns(database: Database, owner: DataOwner, limit: number): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    text: `
select id
from runs
where customer_id = $1 and ${ofOwner} and state in (${sqlList(liveStates)})
limit $3`,
    values: [...ownerValues(owner), limit],
  })
  return rows.map(({ id }) => id)
}

/** Some of the runs that have ended. */
export async function findEndedRuns(database: Database, owner: DataOwner, limit: number): Promise<EndedRun[]> {
  const rows = await database.query<{ id: string; epoch: number }>({
    text: `
select id, epoch
from runs
where customer_id = $1 and ${ofOwner} and state in (${sqlList(terminalStates)})
limit $3`,
    values: [...ownerValues(owner), limit],
  })
  return rows.map((row) => ({ customerId: owner.customerId, ...row }))
}

/** Some of the memory items. */
export async function findMemoryIds(database: Database, owner: DataOwner, limit: number): Promise<string[]> {
  const rows = await database.query<{ id: string }>({
    text: `
select id
from memory_items
where customer_id = $1 and ${ofOwner}
limit $3`,
    values: [...ownerValues(owner), limit],
  })
  return rows.map(({ id }) => id)
}
