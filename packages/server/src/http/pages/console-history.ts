// `/console/history`: what the processes measured in the last day, and the processes that execute runs. It is about the
// whole installation, so it needs the scope of administrators. Not part of the API: only the console uses it.
import type { FastifyInstance } from 'fastify'
import { historyStepSeconds, readServiceHistory } from '../../store/installation/service-minutes.ts'
import type { Database } from '../../store/postgres/database.ts'
import { listWorkers } from '../../store/runs/workers.ts'
import { type Gate, requireScope } from '../server/admission/admission.ts'
import { identify } from '../server/mount-routes.ts'

interface HistoryOptions {
  readonly gate: Gate
  readonly database: Database
}

export function consoleHistoryRoute(app: FastifyInstance, { gate, database }: HistoryOptions): void {
  app.get('/console/history', async (request) => {
    requireScope(await identify(request, gate), 'keys:admin')
    const [points, workers] = await Promise.all([readServiceHistory(database), listWorkers(database)])
    return {
      step_seconds: historyStepSeconds,
      points: points.map(({ at, latencyMs, busyPlaces, queueSeconds, ...point }) => ({
        at: at.toISOString(),
        ...point,
        latency_ms: latencyMs,
        busy_places: busyPlaces,
        queue_seconds: queueSeconds,
      })),
      workers: workers.map(({ id, places, busy, startedAt, seenAt }) => ({
        id,
        places,
        busy,
        started_at: startedAt.toISOString(),
        seen_at: seenAt.toISOString(),
      })),
    }
  })
}
