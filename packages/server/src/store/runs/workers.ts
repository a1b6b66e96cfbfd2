// The register of processes that execute runs: each one updates its row every few seconds.
import type { Database } from '../postgres/database.ts'

/** A model that a worker does not call for a while. */
export interface OpenBreaker {
  readonly model: string
  readonly failures: number
  readonly retryInMs: number
}

/** An MCP server, as a worker has it. */
export interface WorkerMcpServer {
  readonly name: string
  readonly isConnected: boolean
  readonly tools: number
  /** Why it is not connected, and the last lines of its standard error. For the operator only. */
  readonly problem?: { readonly reason: string; readonly stderr: readonly string[] }
}

interface WorkerState {
  readonly id: string
  /** How many runs it can execute at the same time. */
  readonly places: number
  readonly breakers: readonly OpenBreaker[]
  readonly mcpServers?: readonly WorkerMcpServer[]
}

export async function showWorker(database: Database, state: WorkerState): Promise<void> {
  const { id, places, breakers, mcpServers = [] } = state
  await database.query({
    text: `
insert into workers (id, places, breakers, mcp_servers)
values ($1, $2, $3, $4)
on conflict (id) do update
set seen_at = clock_timestamp(),
  places = excluded.places,
  breakers = excluded.breakers,
  mcp_servers = excluded.mcp_servers`,
    values: [id, places, jsonOrNull(breakers), jsonOrNull(mcpServers)],
  })
}

const jsonOrNull = (list: readonly unknown[]): string | null => (list.length === 0 ? null : JSON.stringify(list))

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

const maxWorkers = 1_000

/** The MCP servers of all workers. */
export async function listMcpServers(database: Database): Promise<(WorkerMcpServer & { readonly workerId: string })[]> {
  const rows = await database.run<{ id: string; mcp_servers: string }>({
    text: `
select id, mcp_servers
from workers
where mcp_servers is not null and seen_at > clock_timestamp() - interval '1 minute'
order by started_at
limit $1`,
    values: [maxWorkers],
  })
  return rows.flatMap(({ id, mcp_servers }) =>
    (JSON.parse(mcp_servers) as WorkerMcpServer[]).map((server) => ({ ...server, workerId: id })),
  )
}

export interface ListedWorker {
  readonly id: string
  readonly places: number
  readonly busy: number
  readonly startedAt: Date
  readonly seenAt: Date
}

/** The processes that execute runs and were seen within a minute, oldest first. */
export async function listWorkers(database: Database): Promise<ListedWorker[]> {
  const rows = await database.query<{ id: string; places: number; busy: number; started_at: Date; seen_at: Date }>({
    text: `
with busy as (
  select worker_id, count(*)::int as count
  from (select worker_id from runs where worker_id is not null limit 10001) leased
  group by worker_id
)
select w.id, w.places, coalesce(b.count, 0) as busy, w.started_at, w.seen_at
from workers w
left join busy b on b.worker_id = w.id
where w.seen_at > clock_timestamp() - interval '1 minute'
order by w.started_at
limit $1`,
    values: [maxWorkers],
  })
  return rows.map(({ started_at, seen_at, ...row }) => ({ ...row, startedAt: started_at, seenAt: seen_at }))
}
