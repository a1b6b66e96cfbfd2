// The baseline for draining: all rows of a run, appended through the log in batches, without a service.
// argv: JSON { runs, inFlight, script }. Prints one JSON line with runs per second.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newUuid, newWireId } from '../../packages/server/dist/runtime/ids.js'
import { Database } from '../../packages/server/dist/store/postgres/database.js'
import { migrate } from '../../packages/server/dist/store/postgres/migrate.js'
import { logSession } from '../../packages/server/dist/store/run-log/change-statement.js'
import { statusOfLockedRow } from '../../packages/server/dist/store/run-log/change-values.js'
import { RunCreator } from '../../packages/server/dist/store/run-log/run-creator.js'
import { RunLog } from '../../packages/server/dist/store/run-log/run-log.js'
import { newRun } from './new-run.mjs'
import { startPostgres } from './start-postgres.mjs'

const { runs, inFlight, input } = JSON.parse(process.argv[2])
const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
const postgres = await startPostgres({ dataDir })
const database = new Database({
  connection: postgres.connection,
  maxConnections: 4,
  applicationName: 'bench',
  session: logSession,
})
await migrate(database)
const log = new RunLog(database, () => undefined)
const creator = new RunCreator(database, () => undefined)
const workerId = randomUUID()
const requestId = newWireId('req')
const text = 'This is the sandbox: it follows a script and does not think.'

const transition = (type, to, terminal = false) => ({
  type,
  terminal,
  payload: { request_id: requestId, from_status: statusOfLockedRow, to_status: to, reason_code: null },
})
const decision = (decision_type, reason_code) => ({
  type: 'run.coordination.decision',
  payload: {
    request_id: requestId,
    decision_type,
    reason_code,
    role: 'judge',
    judge_decision: { decision: decision_type, reason: 'more steps follow' },
  },
})

function stepChange(index) {
  const taskId = newWireId('task')
  return {
    epoch: 1,
    from: ['running'],
    tokens: 15,
    resetsRecoveries: true,
    events: [
      {
        type: 'step.progress',
        payload: { task_id: taskId, kind: 'content_delta', content_delta: text, request_id: requestId },
      },
      { type: 'step.done', payload: { task_id: taskId, content: text, outcome: 'succeeded', request_id: requestId } },
    ],
    journal: [
      {
        key: `done:0/#${index}`,
        body: { stepId: `#${index}`, kind: 'agent', content: text, output: null, redacted: false },
      },
    ],
    usage: [
      { key: `tokens:${randomUUID()}`, eventType: 'tokens.consumed', quantity: 15 },
      { key: `task:0/#${index}`, eventType: 'task.completed', quantity: 1 },
    ],
  }
}

async function liveOne() {
  const created = newRun(input)
  await creator.create(created)
  const run = { runId: created.id, customerId: 'bench' }
  const lease = { workerId, ms: 30_000 }
  await log.apply({
    ...run,
    epoch: null,
    trigger: 'claim',
    lease,
    events: [transition('run.worker.started', 'running')],
  })
  for (const index of [0, 1]) {
    const step = stepChange(index)
    await log.apply({ ...run, ...step, events: [...step.events, decision('continue', 'step_done')] })
  }
  const last = stepChange(2)
  await log.apply({
    ...run,
    ...last,
    trigger: 'succeed',
    events: [...last.events, decision('stop', 'all_done'), transition('run.worker.succeeded', 'succeeded', true)],
    result: { redacted: false, value: { content: text, output: null } },
    memory: {
      id: newUuid(),
      kind: 'episode',
      harness: true,
      title: `Run ${run.runId}`,
      content: [0, 1, 2].map((step) => `- #${step}: ${text}`).join('\n'),
      tags: [],
    },
  })
}

async function live(count) {
  let started = 0
  const lane = async () => {
    while (started < count) {
      started += 1
      await liveOne()
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}

await live(Math.min(500, runs))
const start = performance.now()
await live(runs)
const seconds = (performance.now() - start) / 1000
console.log(JSON.stringify({ perSecond: runs / seconds }))
await database.close()
await postgres.stop()
rmSync(dataDir, { recursive: true, force: true })
