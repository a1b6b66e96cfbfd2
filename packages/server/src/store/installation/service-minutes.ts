// What processes measured in each minute of the last day.
import type { Database } from '../postgres/database.ts'

export interface ServiceMinute {
  readonly processId: string
  readonly requests: number
  readonly errors: number
  readonly latencyMs: number | null
  readonly busyPlaces: number | null
  readonly places: number | null
  readonly queued: number | null
  readonly queueSeconds: number | null
}

export async function insertServiceMinute(database: Database, minute: ServiceMinute): Promise<void> {
  await database.query({
    name: 'insert-service-minute',
    text: `
insert into service_minutes (minute, process_id, requests, errors, latency_ms, busy_places, places, queued,
  queue_seconds)
values (date_trunc('minute', clock_timestamp()), $1, $2, $3, $4, $5, $6, $7, $8)
on conflict (minute, process_id) do nothing`,
    values: [
      minute.processId,
      minute.requests,
      minute.errors,
      minute.latencyMs,
      minute.busyPlaces,
      minute.places,
      minute.queued,
      minute.queueSeconds,
    ],
  })
}

export async function forgetServiceMinutes(database: Database): Promise<void> {
  await database.query({
    name: 'forget-service-minutes',
    text: "delete from service_minutes where minute < clock_timestamp() - interval '1 day'",
    values: [],
  })
}

export const historyStepSeconds = 600

/** Of all processes together. Sums of requests; the worst of latency and queue; the mean of places. */
export interface HistoryPoint {
  readonly at: Date
  readonly requests: number
  readonly errors: number
  readonly latencyMs: number | null
  readonly busyPlaces: number | null
  readonly places: number | null
  readonly queued: number | null
  readonly queueSeconds: number | null
}

type HistoryRow = {
  at: Date
  requests: number
  errors: number
  latency_ms: number | null
  busy_places: number | null
  places: number | null
  queued: number | null
  queue_seconds: number | null
}

/** The last day, oldest first: at most 145 points, however many processes there are. */
export async function readServiceHistory(database: Database): Promise<HistoryPoint[]> {
  const rows = await database.query<HistoryRow>({
    name: 'read-service-history',
    text: `
select date_bin(interval '${historyStepSeconds} seconds', minute, timestamptz '2000-01-01Z') as at,
  sum(requests)::int as requests, sum(errors)::int as errors, max(latency_ms)::float8 as latency_ms,
  avg(busy_places)::float8 as busy_places, avg(places)::float8 as places,
  max(queued) as queued, max(queue_seconds)::float8 as queue_seconds
from (
  select minute, sum(requests) as requests, sum(errors) as errors, max(latency_ms) as latency_ms,
    sum(busy_places) as busy_places, sum(places) as places, max(queued) as queued, max(queue_seconds) as queue_seconds
  from service_minutes
  where minute >= clock_timestamp() - interval '1 day'
  group by minute
) minutes
group by at
order by at`,
    values: [],
  })
  return rows.map(({ latency_ms, busy_places, queue_seconds, ...row }) => ({
    ...row,
    latencyMs: latency_ms,
    busyPlaces: busy_places,
    queueSeconds: queue_seconds,
  }))
}
