// Public health probes: liveness, readiness, and the state of the database and the queue.
import { type Dependencies, maxHealthCount } from '@runwright/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/service-error.ts'
import { sleep } from '../../runtime/backoff.ts'
import { version } from '../../runtime/version.ts'
import { type ChangedTool, listChangedTools } from '../../store/installation/tool-definitions.ts'
import type { Database } from '../../store/postgres/database.ts'
import { blameProcess, isBusy, type WriteProblem } from '../../store/postgres/errors.ts'
import { readDatabaseHealth } from '../../store/postgres/health.ts'
import { findWriteProblem } from '../../store/postgres/write-check.ts'
import { readQueueHealth } from '../../store/runs/queue.ts'
import { listMcpServers, listOpenBreakers, type OpenBreaker, type WorkerMcpServer } from '../../store/runs/workers.ts'
import { type Gate, shuttingDown } from '../server/admission/admission.ts'
import type { Drain } from '../server/connections/drain.ts'
import { errorAnswer, refusesWrites } from '../server/response/error-answer.ts'

interface HealthOptions {
  readonly database: Database
  readonly gate: Gate
  readonly drain: Drain
}

// Probes are public, and counting takes time: requests within this interval share one check.
const freshForMs = 1_000
const answerWithinMs = 2_000
/** A busy process looks again before it says that the database is down: its timers run out before it reads answers. */
const looks = 2

export function mountHealth(app: FastifyInstance, { database, gate, drain }: HealthOptions): void {
  const check = cacheBriefly(() => readDependencies(database))
  app.get('/health/live', async () => ({ status: 'ok' }))
  app.get('/health/ready', async (request, reply) => {
    drain.noteProbe()
    const problem = gate.isLeaving ? shuttingDown() : problemOf(await check(), ['database'])
    return send({ request, reply, problem }, { status: problem ? 'unavailable' : 'ok' })
  })
  app.get('/health/deps', async (request, reply) => {
    const [found, isKnown] = await Promise.all([check(), hasKey({ database, gate }, request)])
    const problem = problemOf(found, ['database', 'queue'])
    return send({ request, reply, problem }, isKnown ? found.shown : shownToStrangers(found.shown))
  })
}

/** Without a database, keys that are not cached cannot be checked. The answer does not wait for that. */
const hasKey = async (
  { database, gate }: Pick<HealthOptions, 'database' | 'gate'>,
  { headers }: FastifyRequest,
): Promise<boolean> => (await timed(database, async () => gate.recognize(headers))).value !== undefined

/** The state, for monitoring. Versions, and the names of models and MCP servers, would help an attacker. */
const shownToStrangers = ({ status, checked_at, dependencies, held_snapshot_seconds }: Dependencies): Dependencies => ({
  status,
  checked_at,
  dependencies,
  ...(held_snapshot_seconds !== undefined && { held_snapshot_seconds }),
})

type DependencyName = keyof Dependencies['dependencies']

const problems: Readonly<Record<DependencyName, string>> = {
  database: 'The database is unreachable. Try again later.',
  queue: 'The queue of the database cannot be read. Try again later.',
}

interface Found {
  readonly shown: Dependencies
  readonly writeProblem: WriteProblem | undefined
}

function problemOf({ shown, writeProblem }: Found, needed: readonly DependencyName[]): ServiceError | undefined {
  if (writeProblem) return refusesWrites(writeProblem)
  const down = needed.find((name) => shown.dependencies[name].status !== 'ok')
  return down && new ServiceError('DATABASE_UNAVAILABLE', problems[down], 2)
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly problem: ServiceError | undefined
}

/** With a problem, the error envelope is added to the fields of the probe. */
function send({ request, reply, problem }: Exchange, fields: object): FastifyReply {
  if (!problem) return reply.send(fields)
  const { status, headers, body } = errorAnswer(problem, { requestId: request.id })
  return reply
    .code(status)
    .headers(headers)
    .send({ ...fields, ...body })
}

async function readDependencies(database: Database): Promise<Found> {
  const read = <T>(look: () => Promise<T>) => timed(database, look)
  const [databaseHealth, writes, queueHealth, breakers, mcpServers, changedTools] = await Promise.all([
    read(() => readDatabaseHealth(database)),
    read(() => findWriteProblem(database)),
    read(() => readQueueHealth(database, maxHealthCount)),
    read(() => listOpenBreakers(database)),
    read(() => listMcpServers(database)),
    read(() => listChangedTools(database)),
  ])
  // If only this process is busy, the database is not to blame.
  const answers = databaseHealth.isBusy || databaseHealth.status === 'ok'
  const databaseStatus = answers && !writes.value ? 'ok' : 'down'
  const isOk = databaseStatus === 'ok' && queueHealth.status === 'ok'
  const heldSeconds = databaseHealth.value?.heldSnapshotSeconds
  const shown: Dependencies = {
    status: isOk ? 'ok' : 'down',
    checked_at: new Date().toISOString(),
    dependencies: {
      database: {
        status: databaseStatus,
        latency_ms: databaseHealth.latencyMs,
        engine: 'postgresql',
        version: databaseHealth.value?.version ?? null,
      },
      queue: {
        status: queueHealth.status,
        latency_ms: queueHealth.latencyMs,
        depth: queueHealth.value?.depth ?? null,
        oldest_seconds: queueHealth.value?.oldestSeconds ?? null,
        workers: queueHealth.value?.workers ?? null,
        places: queueHealth.value?.places ?? null,
        busy_places: queueHealth.value?.busyPlaces ?? null,
      },
    },
    version,
    node_version: process.versions.node,
    ...(heldSeconds !== undefined && { held_snapshot_seconds: heldSeconds }),
    ...(breakers.value && breakers.value.length > 0 && { breakers: breakers.value.map(toWireBreaker) }),
    ...(mcpServers.value && mcpServers.value.length > 0 && { mcp_servers: mcpServers.value.map(toWireServer) }),
    ...(changedTools.value && changedTools.value.length > 0 && { mcp_changes: changedTools.value.map(toWireChange) }),
  }
  return { shown, writeProblem: writes.value }
}

const toWireBreaker = ({ model, failures, retryInMs }: OpenBreaker) => ({
  model,
  failures,
  retry_in_seconds: Math.round(retryInMs / 100) / 10,
})

const toWireServer = ({ name, workerId, isConnected, tools }: WorkerMcpServer & { workerId: string }) => ({
  server: name,
  worker_id: workerId,
  connected: isConnected,
  tools,
})

const toWireChange = ({ server, tool, changedAt }: ChangedTool) => ({
  server,
  tool,
  changed_at: changedAt.toISOString(),
})

async function timed<T>(database: Database, look: () => Promise<T>) {
  const start = performance.now()
  try {
    const value = await withinTime(database, look())
    return { status: 'ok', latencyMs: Math.round((performance.now() - start) * 100) / 100, value } as const
  } catch (error) {
    return { status: 'down', latencyMs: null, value: undefined, isBusy: isBusy(error) } as const
  }
}

async function withinTime<T>(database: Database, answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined)
  for (let look = 1; ; look += 1) {
    const silence = database.listen()
    const first = await Promise.race([answer.then((value) => ({ value })), sleep(answerWithinMs)])
    if (first) return first.value
    if (silence.isCertain && !(await database.answers())) throw new Error('no response in time')
    if (look === looks) throw blameProcess(new Error('no time or no connection for the database'))
  }
}

/** Calls `read` at most once per `freshForMs`. */
function cacheBriefly<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let since = 0
  return () => {
    if (!last || performance.now() - since > freshForMs) {
      since = performance.now()
      last = read()
    }
    return last
  }
}
