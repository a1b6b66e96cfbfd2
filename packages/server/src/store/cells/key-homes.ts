// Finds the customers of keys, and whether they live in this cell. For the gate, which does not authenticate.
import type { Database, RetryBudget } from '../postgres/database.ts'
import type { MoveState } from './move-state.ts'

// Short, because a request waits.
const retryBudget: RetryBudget = { ms: 1_000, ambiguousMs: 1_000 }

export async function findKeyHomes(database: Database, keyIds: readonly string[]): Promise<Map<string, MoveState>> {
  const rows = await database.query<{ id: string; move: MoveState['move']; move_cell: string | null }>(
    {
      name: 'find-key-homes',
      text: `
select k.id, c.move, c.move_cell
from api_keys k
join customers c on c.id = k.customer_id
where k.id = any($1)`,
      values: [keyIds],
    },
    retryBudget,
  )
  return new Map(rows.map(({ id, move, move_cell }) => [id, { move, cell: move_cell }]))
}
