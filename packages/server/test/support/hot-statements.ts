// The hot statements of the store, and the indexes that their plans use.
import { randomBytes, randomUUID } from 'node:crypto'
import { listEntries } from '../../src/store/audit/entries.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { changeStatement } from '../../src/store/run-log/change-statement.ts'
import { usedKeysStatement } from '../../src/store/run-log/create-statement.ts'
import { RunClaimer } from '../../src/store/run-log/run-claimer.ts'
import { findCustomerEvents } from '../../src/store/runs/customer-events.ts'
import { findDueWork } from '../../src/store/runs/due-work.ts'
import { findHeadAndEvents, findHeads, findNewEvents } from '../../src/store/runs/events.ts'
import { findFailures } from '../../src/store/runs/failures.ts'
import { findForkSource } from '../../src/store/runs/fork-source.ts'
import { findHistories } from '../../src/store/runs/journals.ts'
import { findExpiredLeases, findExpiredWaits, findPastDeadline } from '../../src/store/runs/overdue-runs.ts'
import { countQueued } from '../../src/store/runs/queue.ts'
import { findRunAgents } from '../../src/store/runs/run-agents.ts'
import { findInput, findPlan } from '../../src/store/runs/run-details.ts'
import { listRuns, type RunFilter, type RunSearch } from '../../src/store/runs/run-list.ts'
import {
  findLimits,
  findOrigins,
  findRunAndWait,
  findRunUsages,
  findTitles,
  findWaits,
} from '../../src/store/runs/run-parts.ts'
import { findPhase, findResults, findRun } from '../../src/store/runs/runs.ts'
import { findSignal, findSignals } from '../../src/store/runs/signals.ts'
import { findStepFacts } from '../../src/store/runs/step-facts.ts'
import { advanceSchedules, findDueSchedules } from '../../src/store/schedules/due-schedules.ts'
import { listSchedules } from '../../src/store/schedules/schedules.ts'
import { findBodiesBefore, firstBody } from '../../src/store/schedules/sealed-bodies.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { findSealedBefore, firstPosition, replaceSealed } from '../../src/store/sealed/values.ts'
import { findTurns } from '../../src/store/turns/turns.ts'
import { listUsageRecords, type UsageRecordFilter } from '../../src/store/usage/records.ts'
import { claimDeliveries } from '../../src/store/webhooks/claim-deliveries.ts'
import { listDeliveries } from '../../src/store/webhooks/deliveries.ts'
import { finishDeliveries } from '../../src/store/webhooks/finish-deliveries.ts'
import { noteMails } from '../../src/store/webhooks/note-mails.ts'

const [customerId, id] = ['customer-1', randomUUID()]
const run = { customerId, id }

const delivery = { customerId, webhookId: id, runId: id, seq: 1, attempt: 1, type: 'run.created' } as const
const failed = { outcome: 'failed', nextInMs: 5_000, responseStatus: 500, error: 'no' } as const

const everyRun: RunFilter = {
  states: undefined,
  workspaceId: undefined,
  subjectId: undefined,
  runClass: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
  scheduleId: undefined,
  id: undefined,
  search: undefined,
  before: undefined,
  limit: 20,
}
const list = (filter: Partial<RunFilter>) => (database: Database) =>
  listRuns(database, customerId, { ...everyRun, ...filter })
const searchFor = (search: Partial<RunSearch>) =>
  list({ search: { agent: undefined, error: undefined, text: undefined, ...search } })

export const records = (labels: Partial<UsageRecordFilter>) => (database: Database) => {
  const range = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' }
  const none = { workspaceId: undefined, subjectId: undefined, eventType: undefined, after: undefined }
  return listUsageRecords(database, { customerId, range, ...none, limit: 20, ...labels })
}

const claimerOf = (database: Database) =>
  new RunClaimer(database, () => undefined, {
    workerId: randomUUID(),
    leaseMs: 1_000,
    keys: new SealingKeys(database, { encryptionKey: randomBytes(32) }),
  })

const text = (statement: string) => (database: Database) => database.run({ text: statement })

const answersByKey = ['signals_pkey', 'votes_pkey', 'event_rows_pkey']
const answersByRequest = ['signals_idempotency', 'signals_pkey', 'votes_idempotency', 'votes_pkey']
/** What it does, the function, and the indexes that its plan may use. It must use the first. */
export const reads: [string, (database: Database) => Promise<unknown>, readonly string[]][] = [
  ['get a run', (database) => findRun(database, customerId, id), ['runs_pkey', 'run_results_pkey']],
  ['read the results of a page', (database) => findResults(database, customerId, [id]), ['run_results_pkey']],
  ['get the plan of a run', (database) => findPlan(database, customerId, id), ['run_inputs_pkey', 'journal_pkey']],
  ['get titles', (database) => findTitles(database, customerId, [id]), ['run_inputs_pkey']],
  ['get origins', (database) => findOrigins(database, customerId, [id]), ['run_inputs_pkey']],
  [
    'read a run to fork',
    (database) => findForkSource(database, run),
    ['runs_pkey', 'run_inputs_pkey', 'journal_pkey', 'signals_pkey', 'event_rows_pkey'],
  ],
  ['get limits', (database) => findLimits(database, customerId, [id]), ['run_inputs_pkey']],
  ['get waits', (database) => findWaits(database, customerId, [id]), ['runs_pkey']],
  ['get the phase of a run', (database) => findPhase(database, customerId, id), ['runs_pkey']],
  ['get a run that waits', (database) => findRunAndWait(database, customerId, id), ['runs_pkey', 'run_results_pkey']],
  [
    'get the agents of runs',
    (database) => findRunAgents(database, customerId, [id]),
    ['run_inputs_pkey', 'journal_pkey'],
  ],
  [
    'get the steps of runs',
    (database) => findStepFacts(database, customerId, [id]),
    ['event_rows_pkey', 'runs_pkey', 'run_inputs_pkey', 'journal_pkey', 'signals_pkey', 'turns_pkey'],
  ],
  ['get the usage of runs', (database) => findRunUsages(database, customerId, [id]), ['runs_pkey', 'usage_rows_pkey']],
  [
    'get the failures of runs',
    (database) => findFailures(database, customerId, [id]),
    ['runs_pkey', 'events_one_end', 'event_rows_pkey', 'journal_pkey', 'signals_pkey'],
  ],
  [
    'read a page of events',
    (database) => findHeadAndEvents(database, run, { after: 0, limit: 200 }),
    ['runs_pkey', 'event_rows_pkey', 'run_inputs_pkey'],
  ],
  [
    'read new events of many runs',
    (database) =>
      findNewEvents(database, [{ ...run, after: 0 }], { eventsPerCursor: 200, bytesPerCursor: 1, maxBytes: 1 }),
    ['event_rows_pkey', 'run_inputs_pkey'],
  ],
  [
    'follow the events of a customer',
    (database) =>
      findCustomerEvents(database, customerId, {
        after: { atMs: Date.now() - 1_000, runId: id, seq: 1 },
        before: { atMs: Date.now(), lagMs: 0 },
        limit: 200,
      }),
    ['events_by_time', 'runs_newest', 'run_inputs_pkey'],
  ],
  [
    'read a page of turns',
    (database) => findTurns(database, run, { after: 0, limit: 50 }),
    ['turns_pkey', 'runs_pkey'],
  ],
  ['read the heads of many runs', (database) => findHeads(database, [run]), ['runs_pkey']],
  ['read histories', (database) => findHistories(database, [run]), ['journal_pkey', 'signals_pkey']],
  ['find used idempotency keys', text(usedKeysStatement), ['runs_idempotency', 'run_inputs_pkey', 'removed_keys_pkey']],
  ['find a signal', (database) => findSignal(database, run, 'key'), answersByRequest],
  ['get the signals of a run', (database) => findSignals(database, customerId, id), answersByKey],
  ['get the input of a run', (database) => findInput(database, customerId, id), ['run_inputs_pkey']],
  ['count queued runs', (database) => countQueued(database, customerId, 10), ['runs_ready']],
  [
    'find due work',
    findDueWork,
    ['runs_leased', 'runs_deadline', 'runs_waiting', 'runs_ready', 'webhook_deliveries_due', 'schedules_due'],
  ],
  ['find expired leases', findExpiredLeases, ['runs_leased']],
  ['find expired waits', findExpiredWaits, ['runs_waiting', 'journal_pkey']],
  ['find runs past their deadline', findPastDeadline, ['runs_deadline', 'run_inputs_pkey']],
  [
    'find values to seal again',
    (database) => findSealedBefore(database, 2, { after: firstPosition, limit: 10 }),
    ['run_inputs_sealed'],
  ],
]

/** A search looks at 10,000 runs. PostgreSQL 15 may sort the runs of a customer that has fewer. */
const smallCustomer = ['runs_pkey']

/** Not prepared: PostgreSQL plans them each time, for the table as it is. */
export const lists: typeof reads = [
  [
    'claim deliveries',
    (database) =>
      claimDeliveries(database, {
        places: 1,
        mailPlaces: 1,
        perCustomer: 1,
        perWebhook: 1,
        busy: [],
        leaseMs: 1_000,
        visits: 9,
        after: undefined,
      }),
    [
      'webhook_deliveries_of_mail',
      'webhook_deliveries_pending',
      'webhook_deliveries_in_order',
      'webhook_deliveries_pkey',
      'webhooks_pkey',
      'customers_moving',
    ],
  ],
  ['note mails', (database) => noteMails(database, [{ ...delivery, mail: id }], 1_000), ['webhook_deliveries_pkey']],
  [
    'finish a delivery',
    (database) => finishDeliveries(database, [{ ...delivery, ...failed, triedAt: null }]),
    ['webhook_deliveries_pending', 'webhook_deliveries_in_order', 'webhook_deliveries_pkey', 'webhooks_pkey'],
  ],
  [
    'find due schedules',
    (database) => findDueSchedules(database, 50),
    ['schedules_due', 'customers_moving', 'customers_pkey'],
  ],
  [
    'advance schedules',
    (database) =>
      advanceSchedules(database, [{ customerId, id, wasNextAt: new Date(), nextAt: new Date(), missed: 0 }]),
    ['schedules_pkey', 'customers_moving'],
  ],
  [
    'list schedules',
    (database) => listSchedules(database, { customerId, before: undefined, limit: 10 }),
    ['schedules_pkey'],
  ],
  [
    'find bodies of schedules to seal again',
    (database) => findBodiesBefore(database, 1, { after: firstBody, limit: 10 }),
    ['schedules_sealed'],
  ],
  [
    'list deliveries',
    (database) => listDeliveries(database, { ...delivery, before: undefined, limit: 10 }),
    ['webhook_deliveries_newest'],
  ],
  ['list audit entries', (database) => listEntries(database, { customerId, limit: 10 }), ['audit_entries_pkey']],
  [
    'list audit entries of a key',
    (database) => listEntries(database, { customerId, keyId: 'key_1', limit: 10 }),
    ['audit_entries_of_key', 'audit_entries_pkey'],
  ],
  [
    'list audit entries of a run',
    (database) => listEntries(database, { customerId, target: 'run_1', limit: 10 }),
    ['audit_entries_of_target', 'audit_entries_pkey'],
  ],
  ['list the newest runs', list({}), ['runs_newest', 'run_results_pkey']],
  ['list runs after a page', list({ before: { createdAtMs: 0, id } }), ['runs_newest', 'run_results_pkey']],
  ['list runs of a workspace', list({ workspaceId: 'w' }), ['runs_of_workspace', 'run_results_pkey']],
  ['list runs of a subject', list({ subjectId: 's' }), ['runs_of_subject', 'run_results_pkey']],
  ['list runs of a class', list({ runClass: 'long' }), ['runs_newest', 'run_results_pkey', ...smallCustomer]],
  ['page through usage records', records({}), ['usage_rows_of_customer', 'runs_newest']],
  ['page through usage records of a type', records({ eventType: 'e' }), ['usage_rows_of_customer', 'runs_newest']],
  [
    'page through usage records of a workspace',
    records({ workspaceId: 'w' }),
    ['usage_rows_of_workspace', 'runs_of_workspace'],
  ],
  [
    'page through usage records of a subject',
    records({ subjectId: 's' }),
    ['usage_rows_of_subject', 'runs_of_subject'],
  ],
  ['list runs of a schedule', list({ scheduleId: 'sched_1' }), ['runs_idempotency', 'runs_pkey', 'run_results_pkey']],
  ['list one run', list({ id }), ['runs_pkey', 'run_results_pkey']],
  [
    'search for words',
    searchFor({ text: { words: ['a', 'b'], ids: { from: id, to: id } } }),
    ['run_inputs_pkey', 'runs_newest', 'run_results_pkey', ...smallCustomer],
  ],
  [
    'search for an agent',
    searchFor({ agent: { name: 'a', mayBeNamed: true } }),
    ['run_inputs_pkey', 'runs_newest', 'journal_pkey', 'run_results_pkey', ...smallCustomer],
  ],
  [
    'search for an error',
    searchFor({ error: 'e' }),
    ['events_one_end', 'runs_newest', 'run_results_pkey', ...smallCustomer],
  ],
  ['list waiting runs', list({ states: ['awaiting_input'] }), ['runs_noteworthy', 'run_results_pkey']],
  [
    'replace sealed values',
    (database) =>
      replaceSealed(database, [{ customerId, runId: id, wasKeyId: 1, sealed: { keyId: 2, bytes: randomBytes(1) } }]),
    ['run_inputs_sealed', 'run_inputs_pkey'],
  ],
]

export const writes: typeof reads = [
  ['change runs', text(changeStatement), ['runs_pkey', 'customers_moving', 'webhooks_pkey']],
  [
    'claim runs',
    (database) => claimerOf(database).claim([], 1),
    ['runs_ready', 'runs_pkey', 'run_inputs_pkey', 'customers_moving', 'webhooks_pkey'],
  ],
  [
    'claim a suspect',
    (database) => claimerOf(database).claimSuspect(0),
    ['runs_suspect', 'runs_pkey', 'run_inputs_pkey', 'customers_moving', 'webhooks_pkey'],
  ],
  ['find waiting customers', (database) => claimerOf(database).findWaiting([]), ['runs_ready', 'customers_moving']],
  [
    'renew leases',
    (database) => claimerOf(database).renew([{ customerId, runId: id, epoch: 1, stepMs: undefined }]),
    ['runs_leased', 'runs_pkey', 'customers_moving'],
  ],
  ['give runs back', (database) => claimerOf(database).giveBackUnknown([id]), ['runs_leased']],
]
