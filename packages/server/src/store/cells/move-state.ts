// Where a customer is on its way from one cell to another. Both cells have a row of the customer; the row of the source
// is the truth. See docs/decisions/0018.
import type { Database } from '../postgres/database.ts'

export type Move = 'copying' | 'leaving' | 'held' | 'moved' | 'gone' | 'arriving'

export interface MoveState {
  /** Null: the customer lives in this cell. */
  readonly move: Move | null
  /** The other cell. */
  readonly cell: string | null
}

export async function findMoveState(database: Database, customerId: string): Promise<MoveState | undefined> {
  const [row] = await database.query<{ move: Move | null; move_cell: string | null }>({
    text: `
select move, move_cell
from customers
where id = $1`,
    values: [customerId],
  })
  return row && { move: row.move, cell: row.move_cell }
}

/** Those of the customers that another cell serves. */
export async function findMovedCustomers(
  database: Database,
  customerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ id: string }>({
    text: `
select id
from customers
where id = any($1::text[]) and move in ('moved', 'gone')`,
    values: [customerIds],
  })
  return new Set(rows.map(({ id }) => id))
}

export async function setMoveState(database: Database, customerId: string, { move, cell }: MoveState): Promise<void> {
  await database.query({
    text: `
update customers
set move = $2, move_cell = $3
where id = $1`,
    values: [customerId, move, cell],
  })
}

/** Creates the row of a customer that is to be copied to this cell. */
export async function expectCustomer(database: Database, customerId: string, fromCell: string): Promise<void> {
  await database.query({
    text: `
insert into customers (id, move, move_cell)
values ($1, 'arriving', $2)
on conflict (id) do update set move = excluded.move, move_cell = excluded.move_cell
where customers.move is not null`,
    values: [customerId, fromCell],
  })
}

/**
 * Opens the cell for the customer. Its ready runs become ready now: workers do not look for runs that were ready
 * before.
 */
export async function openForCustomer(database: Database, customerId: string): Promise<void> {
  await database.transaction(async (client) => {
    await client.query(
      `
update runs
set ready_at = clock_timestamp()
where customer_id = $1 and ready_at < clock_timestamp()`,
      [customerId],
    )
    await client.query('update customers set move = null, move_cell = null where id = $1', [customerId])
  })
}

interface MovingCustomer extends MoveState {
  readonly id: string
}

/** Customers that are being moved from or to this cell. */
export async function listMoves(database: Database): Promise<MovingCustomer[]> {
  const rows = await database.query<{ id: string; move: Move; move_cell: string }>({
    text: `
select id, move, move_cell
from customers
where move is not null and move <> 'gone'
order by id`,
  })
  return rows.map(({ id, move, move_cell }) => ({ id, move, cell: move_cell }))
}

export async function countCustomers(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>({
    text: `
select count(*)
from customers
where move is null or move not in ('moved', 'gone', 'arriving')`,
  })
  return row?.count ?? 0
}

/** Whether a worker executes a run of the customer. */
export async function hasLeasedRuns(database: Database, customerId: string): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>({
    text: `
select exists (
  select
  from runs
  where customer_id = $1 and worker_id is not null
) as found`,
    values: [customerId],
  })
  return row?.found ?? false
}

/** Undoes `expectCustomer`. A customer that lives here is not touched. */
export async function removeExpected(database: Database, customerId: string): Promise<void> {
  await database.query({
    text: `
delete from customers
where id = $1 and move = 'arriving'`,
    values: [customerId],
  })
}
