// The agent sets that runs have begun with. They belong to the installation and not to a customer, and never change.
import type { Database } from '../postgres/database.ts'

export async function saveAgentSet(database: Database, hash: string, definitions: readonly unknown[]): Promise<void> {
  await database.query({
    text: `
insert into agent_sets (hash, definitions)
values ($1, $2)
on conflict (hash) do nothing`,
    values: [hash, JSON.stringify(definitions)],
  })
}

/** The definitions of a set; undefined if no process has stored it. */
export async function findAgentSet(database: Database, hash: string): Promise<readonly unknown[] | undefined> {
  const [row] = await database.query<{ definitions: string }>({
    text: `
select definitions
from agent_sets
where hash = $1`,
    values: [hash],
  })
  return row && JSON.parse(row.definitions)
}
