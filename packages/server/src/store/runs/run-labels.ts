// Reads the labels of a run. They never change.
import type { Database } from '../postgres/database.ts'
import type { RunKey } from './run-key.ts'

export interface RunLabels {
  readonly workspaceId: string | null
  readonly subjectId: string | null
}

/** Undefined when the customer has no such run. */
export async function findRunLabels(database: Database, { customerId, id }: RunKey): Promise<RunLabels | undefined> {
  const [row] = await database.query<{ workspace_id: string | null; subject_id: string | null }>({
    name: 'find-run-labels',
    text: `
select workspace_id, subject_id
from runs
where customer_id = $1 and id = $2`,
    values: [customerId, id],
  })
  return row && { workspaceId: row.workspace_id, subjectId: row.subject_id }
}
