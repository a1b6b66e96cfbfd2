// Deletes what is left of a customer in all tables, and the customer itself.
import { type Database, withRetry } from '../postgres/database.ts'

/** Read from the catalog: a table that is added later is not forgotten. */
const tablesStatement = `
select c.relname as name
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id'
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname`

/** One statement: references between the tables are checked at its end. */
export async function forgetCustomer(database: Database, customerId: string): Promise<void> {
  const tables = await database.query<{ name: string }>({ text: tablesStatement })
  const deletes = tables.map(({ name }) => `"deleted ${name}" as (delete from "${name}" where customer_id = $1)`)
  await withRetry(() =>
    database.transaction(async (client) => {
      // Otherwise an act that is being appended to the audit chain would stay.
      await client.query('lock table audit_heads in share row exclusive mode')
      await client.query(
        `
with ${deletes.join(',\n')}
delete from customers
where id = $1`,
        [customerId],
      )
    }),
  )
}
