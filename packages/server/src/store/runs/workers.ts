// The register of processes that execute runs: each one updates its row every few seconds.
import type { Database } from '../postgres/database.ts'

/** A model that a worker does not call for a while. */
export interface OpenBreaker {
  readonly model: string
  readonly failures: number
  readonly retryInMs: number
}

interface WorkerState {
  readonly id: string
  /** How many runs it can execute at the same time. */
  readonly places: number
  readonly breakers: readonly OpenBreaker[]
}

export async function showWorker(database: Database, { id, places, breakers }: WorkerState): Promise<void> {
  await database.query({
    text: `
insert into workers (id, places, breakers)
values ($1, $2, $3)
on conflict (id) do update
set seen_at = clock_timestamp(),
  places = excluded.places,
  breakers = excluded.breakers`,
    values: [id, places, breakers.length === 0 ? null : JSON.stringify(breakers)],
  })
}

/** Deletes a worker that has stopped, and all that have not been seen for a day. */
export async function removeWorker(database: Database, id: string): Promise<void> {
  await database.query({
    text: "delete from workers where id = $1 or seen_at < clock_timestamp() - interval '1 day'",
    values: [id],
  })
}

/** The open breakers of all workers, each with the time that is left of it. */
export async function listOpenBreakers(database: Database): Promise<OpenBreaker[]> {
  const rows = await database.run<{ breakers: string; age_ms: number }>({
    text: `
select breakers, (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as age_ms
from workers
where breakers is not null and seen_at > clock_timestamp() - interval '1 minute'`,
  })
  return rows.flatMap(({ breakers, age_ms }) =>
    (JSON.parse(breakers) as OpenBreaker[]).map((breaker) => ({
      ...breaker,
      retryInMs: Math.max(0, Math.round(breaker.retryInMs - age_ms)),
    })),
  )
}
