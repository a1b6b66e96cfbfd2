// Reads which agent a run has, for `include=agent`.
import type { AgentsEntry } from '../../domain/run/journal.ts'
import type { Database } from '../postgres/database.ts'

export interface RunAgentRecord {
  /** What the metadata names, if that is text. It need not be an agent. */
  readonly named: string | null
  /** What the run began with. Null before its first execution, and if it uses no agents. */
  readonly began: AgentsEntry | null
}

export async function findRunAgent(database: Database, customerId: string, id: string): Promise<RunAgentRecord | null> {
  const [row] = await database.query<{ named: string | null; began: string | null }>({
    name: 'find-run-agent',
    text: `
select case when json_typeof(i.metadata->'agent') = 'string' then i.metadata->>'agent' end as named, j.body as began
from run_inputs i
left join journal j on j.customer_id = i.customer_id and j.run_id = i.run_id and j.key = 'agents:run'
where i.customer_id = $2 and i.run_id = $1`,
    values: [id, customerId],
  })
  return row ? { named: row.named, began: row.began === null ? null : JSON.parse(row.began) } : null
}
