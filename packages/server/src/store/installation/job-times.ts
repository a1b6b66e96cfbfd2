// When the rare background jobs last ran. In the database: a process that is restarted often would otherwise never come
// to them.
import type { Database } from '../postgres/database.ts'

export interface JobTime {
  readonly name: string
  readonly everySeconds: number
}

/** The names of those that are due: they never ran, or their last run ended long enough ago. */
export async function findDueJobs(database: Database, jobs: readonly JobTime[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ name: string }>({
    name: 'find-due-jobs',
    text: `
select j.name
from unnest($1::text[], $2::double precision[]) as j(name, every_seconds)
left join job_times t on t.job = j.name
where t.ended_at is null or t.ended_at + j.every_seconds * interval '1 second' <= clock_timestamp()`,
    values: [jobs.map(({ name }) => name), jobs.map(({ everySeconds }) => everySeconds)],
  })
  return new Set(rows.map(({ name }) => name))
}

export async function recordJob(database: Database, name: string): Promise<void> {
  await database.query({
    text: `
insert into job_times (job, ended_at)
values ($1, clock_timestamp())
on conflict (job) do update
set ended_at = excluded.ended_at`,
    values: [name],
  })
}
