// The register of processes that execute runs: each shows itself now and then.
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

/** Forgets a worker that has stopped, and all that have not been seen for long. */
export async function removeWorker(database: Database, id: string): Promise<void> {
  await database.query({
    text: "delete from workers where id = $1 or seen_at < clock_timestamp() - interval '1 day'",
    values: [id],
  })
}
