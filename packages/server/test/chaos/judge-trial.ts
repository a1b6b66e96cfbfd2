// Collects what a trial has left behind, and asks the checker about it.
import { toWireId } from '../../src/runtime/ids.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { eventsOf, until } from '../support/processes.ts'
import {
  type FinalRun,
  judgeCalls,
  judgeCreates,
  judgeEnds,
  judgeHistories,
  judgeShop,
  judgeWebhooks,
  type Violation,
} from './checker/judge.ts'
import { tellOperation, tellStory } from './checker/story.ts'
import type { RunRecord } from './load/run-record.ts'
import type { Stage } from './trial.ts'

/** What the webhook of a trial is told. */
export const webhookTypes = ['run.worker.succeeded', 'run.worker.failed', 'run.cancelled', 'run.awaiting_input']

interface Judged {
  readonly violations: readonly Violation[]
  readonly runs: number
}

export async function judgeTrial(stage: Stage, { isIdle }: { readonly isIdle: boolean }): Promise<Judged> {
  const { crew, office, provider, shop } = stage
  await settleDatabase(stage)
  const runs = await finalRuns(stage)
  const { records } = office
  const tasks = records.flatMap(({ task }) => task ?? [])
  const violations: Violation[] = [
    ...(isIdle ? [] : [{ rule: 'I18 runs end when the faults are over', what: 'clients still wait' }]),
    ...judgeEnds(records, runs),
    ...judgeCreates(records, runs),
    ...judgeHistories(records, runs),
    ...judgeCalls(shop.effects, crew.toldLate, runs).map((each) => withOperations(each, records)),
    ...(isIdle ? judgeShop(tasks, shop.effects) : []),
    ...judgeWebhooks(webhookTypes, await untilDelivered(stage, runs), runs),
    ...(await judgeSql(stage, runs)),
    ...office.place.surprises.map((what) => ({ rule: 'clients get the answers that are documented', what })),
    ...crew.deaths.map((what) => ({ rule: 'no process ends by itself', what })),
    ...provider.refusals.map(({ message }) => ({ rule: 'models are asked as they want to be', what: message })),
  ]
  return { violations, runs: runs.length }
}

/** What clients did with the run of a story. */
function withOperations(violation: Violation, records: readonly RunRecord[]): Violation {
  const id = /run_\w+/.exec(violation.story ?? '')?.[0]
  const operations = records.find(({ acknowledged }) => acknowledged.has(id ?? ''))?.history.operations ?? []
  return { ...violation, story: [violation.story, ...operations.map(tellOperation)].join('\n') }
}

const hasQueue = "select 1 from runs where state in ('queued', 'running', 'stalled') limit 1"

/** Until runs of schedules have ended too, which no client waits for. */
async function settleDatabase({ server }: Stage): Promise<void> {
  await server.database.run({ text: 'update schedules set next_at = null, due_at = null' }).catch(() => undefined)
  const isOver = async () => (await server.database.query({ text: hasQueue })).length === 0
  await until(isOver, { within: 60_000, every: 200, what: 'the end of all runs' }).catch(() => undefined)
}

async function finalRuns({ server }: Stage): Promise<FinalRun[]> {
  const rows = await server.database.query<{ id: string; state: string; idempotency_key: string }>({
    text: 'select id, state, idempotency_key from runs order by id',
  })
  const runs: FinalRun[] = []
  for (const { id, state, idempotency_key: key } of rows) {
    const wireId = toWireId('run', id)
    runs.push({ id: wireId, state, key, log: await eventsOf(server.database, wireId) })
  }
  return runs
}

/** Messages that were refused are due in minutes: they are sent now. */
async function untilDelivered({ server, receiver }: Stage, runs: readonly FinalRun[]) {
  const due = runs.flatMap(({ id, log }) =>
    log.flatMap(({ type, seq }) => (webhookTypes.includes(type) ? [`${id}_${seq}`] : [])),
  )
  const messages = () =>
    receiver.received.all.map(({ headers, body }) => ({ id: String(headers['webhook-id']), body: lasting(body) }))
  const haveCome = async () => {
    await server.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at > now()' })
    const ids = new Set(messages().map(({ id }) => id))
    return due.every((id) => ids.has(id))
  }
  await until(haveCome, { within: 60_000, every: 1_000, what: 'all messages' }).catch(() => undefined)
  return messages()
}

async function judgeSql({ server, office }: Stage, runs: readonly FinalRun[]): Promise<Violation[]> {
  const broken = await brokenInvariants(server.database)
  return broken.map((what) => {
    const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(what)?.[0]
    const run = uuid && runs.find(({ id }) => id === toWireId('run', uuid))
    if (!run) return { rule: 'the invariants hold', what }
    const operations = office.records.find(({ key }) => key === run.key)?.history.operations ?? []
    return { rule: 'the invariants hold', what, story: tellStory(run.id, run.log, operations) }
  })
}

/** What a message says at every attempt: a question that was answered meanwhile is left out. */
function lasting(body: string): string {
  const { data, ...rest } = JSON.parse(body)
  const { awaiting_input: _, ...facts } = data
  return JSON.stringify({ ...rest, data: facts })
}
