// Reads which agents runs have, for `include=agent`, and the condition that finds runs by their agent.
import type { AgentsEntry } from '../../domain/run/journal.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp, rowsOf } from '../postgres/look-up.ts'
import { beganWith } from '../usage/began-with.ts'

export interface RunAgentRecord {
  /** What the metadata names, if that is text. It need not be an agent. */
  readonly named: string | null
  /** What the run began with. Null before its first execution, and if it uses no agents. */
  readonly began: AgentsEntry | null
}

const namedAgent = `case when json_typeof(i.metadata->'agent') = 'string' then i.metadata->>'agent' end`

const began = beganWith({ customerId: 'i.customer_id', runId: 'i.run_id' })

/** Of one run or of a whole page, by run id. */
export async function findRunAgents(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, RunAgentRecord>> {
  const rows = await database.query<{ run_id: string; named: string | null; began: string | null }>({
    name: 'find-run-agents',
    text: `
select i.run_id, ${namedAgent} as named, j.body as began
from ${rowsOf('run_inputs', 'run_id', 'i')}
left join journal j on ${began}`,
    values: [customerId, ids],
  })
  return new Map(
    rows.map(({ run_id, named, began }) => [run_id, { named, began: began === null ? null : JSON.parse(began) }]),
  )
}

/**
 * Whether the run `r` has this agent. `mayBeNamed`: before the first execution the metadata counts, as for the include.
 */
export const hasAgent = (name: string, { mayBeNamed }: { readonly mayBeNamed: boolean }): string => `exists (
  select 1
  from run_inputs i
  left join journal j on ${began}
  where ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}
    and ${mayBeNamed ? `case when j.body is null then ${namedAgent} else j.body->'agent'->>'name' end` : "j.body->'agent'->>'name'"} = ${name}
)`
