// The register of processes that execute runs. Each updates its row regularly.
import type { Database } from '../postgres/database.ts'

export async function showWorker(database: Database, id: string): Promise<void> {
  await database.query({
    text: `
insert into workers (id)
values ($1)
on conflict (id) do update set seen_at = clock_timestamp()`,
    values: [id],
  })
}

/** Deletes a worker that has stopped, and those that have not been seen for a day. */
export async function removeWorker(database: Database, id: string): Promise<void> {
  await database.query({
    text: "delete from workers where id = $1 or seen_at < clock_timestamp() - interval '1 day'",
    values: [id],
  })
}
