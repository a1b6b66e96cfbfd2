// The schedules of a customer: insert, list, find, change, delete. Every statement names the customer.
import type { CatchUpPolicy, ScheduleError } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import { newSeed } from '../../runtime/secrets/derived-secret.ts'
import { lockCustomerFor } from '../keys/lock-customer.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { changeOnce, type Once, type Repeatable } from '../requests/kept-answers.ts'
import { type Act, recordAct } from '../requests/record-act.ts'

export interface ListedScheduleRecord {
  readonly id: string
  readonly name: string | null
  readonly cron: string
  readonly timeZone: string
  readonly catchUp: CatchUpPolicy
  /** The next tick. Null: the schedule is paused. */
  readonly nextAt: Date | null
  readonly lastAt: Date | null
  readonly lastRunId: string | null
  readonly lastError: ScheduleError | null
  readonly missed: number
  readonly createdAt: Date
  /** Ticks do not count. */
  readonly updatedAt: Date
}

export interface ScheduleRecord extends ListedScheduleRecord {
  /** The JSON text of the body, with sensitive values masked. */
  readonly run: string
}

/** The body of the runs. */
export interface ScheduleBody {
  readonly subjectId: string | null
  /** As the API shows it. */
  readonly shown: string
  readonly sealed: SealedValue
}

interface ScheduleKey {
  readonly customerId: string
  readonly id: string
}

type ListedRow = {
  id: string
  name: string | null
  cron: string
  time_zone: string
  catch_up: CatchUpPolicy
  next_at: Date | null
  last_at: Date | null
  last_run_id: string | null
  last_error: string | null
  missed: number
  created_at: Date
  updated_at: Date
}
type ScheduleRow = ListedRow & { run: string }

const listedColumns =
  'id, name, cron, time_zone, catch_up, next_at, last_at, last_run_id, last_error, missed, created_at, updated_at'
const columns = `${listedColumns}, run`

const toListed = (row: ListedRow): ListedScheduleRecord => ({
  id: row.id,
  name: row.name,
  cron: row.cron,
  timeZone: row.time_zone,
  catchUp: row.catch_up,
  nextAt: row.next_at,
  lastAt: row.last_at,
  lastRunId: row.last_run_id,
  lastError: row.last_error === null ? null : JSON.parse(row.last_error),
  missed: row.missed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
const toRecord = (row: ScheduleRow): ScheduleRecord => ({ ...toListed(row), run: row.run })

interface NewSchedule extends ScheduleKey, ScheduleBody {
  readonly name: string | null
  readonly cron: string
  readonly timeZone: string
  readonly catchUp: CatchUpPolicy
  /** The first tick, by the clock of the database. */
  readonly firstTick: (now: Date) => Date
}

interface Insertion {
  readonly atMost: number
  readonly by: Actor
  readonly repeatable?: Repeatable | undefined
}

/** Undefined when the customer has too many already. Can be retried after a lost answer. */
export async function insertSchedule(
  database: Database,
  schedule: NewSchedule,
  insertion: Insertion,
): Promise<Once<ScheduleRecord> | undefined> {
  const { customerId, shown } = schedule
  const { by, repeatable } = insertion
  const seed = newSeed()
  const inserted = await withRetry(() =>
    database.transaction(async (client) => {
      // Creates of one customer take turns: each one counts the schedules of those before it.
      const now = await lockCustomerFor(client, customerId, by)
      const make = () => insertOne(client, schedule, { ...insertion, now })
      return changeOnce(client, { customerId, repeatable, seed, make })
    }),
  )
  // Without the body, which can be large: who repeats the request sends it again.
  return inserted && { ...inserted, result: { ...inserted.result, run: shown } }
}

async function insertOne(
  client: pg.PoolClient,
  schedule: NewSchedule,
  { atMost, by, now }: Insertion & { readonly now: Date },
): Promise<ListedScheduleRecord | undefined> {
  const { rows } = await client.query<ListedRow>(insertText, [
    schedule.customerId,
    schedule.id,
    schedule.name,
    schedule.cron,
    schedule.timeZone,
    schedule.catchUp,
    schedule.subjectId,
    schedule.shown,
    schedule.sealed.bytes,
    schedule.sealed.keyId,
    schedule.firstTick(now),
    atMost,
    by.keyId,
  ])
  if (rows[0]) await recordAct(client, actOn(schedule, by, 'schedule.create'))
  const row = rows[0] ?? (await findRow(client, schedule))
  return row && toListed(row)
}

const actOn = ({ customerId, id }: ScheduleKey, by: Actor, action: Act['action']): Act => ({
  customerId,
  by,
  action,
  target: toWireId('sched', id),
})

const insertText = `
insert into schedules
  (customer_id, id, name, cron, time_zone, catch_up, subject_id, run, sealed, sealed_key, next_at, due_at, run_by,
    times_by)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz, $11::timestamptz, $13, $13
where (select count(*) from schedules where customer_id = $1 and id <> $2) < $12
on conflict (customer_id, id) do nothing
returning ${listedColumns}`

/** The schedule as an earlier attempt has left it, whose answer was lost. */
async function findRow(client: pg.PoolClient, { customerId, id }: ScheduleKey): Promise<ListedRow | undefined> {
  const text = `select ${listedColumns} from schedules where customer_id = $1 and id = $2`
  const { rows } = await client.query<ListedRow>(text, [customerId, id])
  return rows[0]
}

interface SchedulePage {
  readonly customerId: string
  /** The id of the last one of the page before. */
  readonly before: string | undefined
  readonly limit: number
}

/** Newest first. */
export async function listSchedules(database: Database, page: SchedulePage): Promise<ListedScheduleRecord[]> {
  const rows = await database.query<ListedRow>({
    text: `
select ${listedColumns}
from schedules
where customer_id = $1 and id < $2
order by id desc
limit $3`,
    values: [page.customerId, page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff', page.limit],
  })
  return rows.map(toListed)
}

export async function findSchedule(
  database: Database,
  { customerId, id }: ScheduleKey,
): Promise<ScheduleRecord | undefined> {
  const [row] = await database.query<ScheduleRow>({
    text: `
select ${columns}
from schedules
where customer_id = $1 and id = $2`,
    values: [customerId, id],
  })
  return row && toRecord(row)
}

interface ScheduleChange {
  readonly name: string | null
  readonly cron: string
  readonly timeZone: string
  readonly catchUp: CatchUpPolicy
  /** Left out: the next tick stays, also if it is being repeated. Null: the schedule is paused. */
  readonly nextAt?: Date | null
  /** Left out: the body stays. */
  readonly body?: ScheduleBody | undefined
}

interface ScheduleAct extends ScheduleKey {
  readonly by: Actor
}

/**
 * `change` is called while the row is locked. Undefined when the customer has no such schedule. Can be retried after a
 * lost answer: what is changed already is not recorded again.
 */
export const changeSchedule = (
  database: Database,
  { customerId, id, by }: ScheduleAct,
  change: (was: ListedScheduleRecord, now: Date) => ScheduleChange,
): Promise<ScheduleRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      await lockCustomerFor(client, customerId, by)
      const { rows } = await client.query<LockedRow>(lockText, [customerId, id])
      const [was] = rows
      if (!was) return undefined
      const changes = change(toListed(was), was.now)
      const changed = changedFields(was, changes)
      if (changed.length === 0) return toRecord(was)
      await recordAct(client, { ...actOn({ customerId, id }, by, 'schedule.update'), details: { changed } })
      return applyChange(client, { customerId, id, by }, { ...changes, setsTimes: setsTimes(changed, changes) })
    }),
  )

type LockedRow = ScheduleRow & { sealed: Buffer; now: Date }

const lockText = `
select ${columns}, sealed, clock_timestamp() as now
from schedules
where customer_id = $1 and id = $2
for update`

/**
 * The names of the fields in the API. A new body is sealed once, so the same one is found again after a lost answer.
 */
function changedFields(was: LockedRow, { name, cron, timeZone, catchUp, nextAt, body }: ScheduleChange): string[] {
  const isPaused = nextAt === undefined ? was.next_at === null : nextAt === null
  const isChanged = {
    name: name !== was.name,
    cron: cron !== was.cron,
    time_zone: timeZone !== was.time_zone,
    catch_up: catchUp !== was.catch_up,
    run: body !== undefined && !body.sealed.bytes.equals(was.sealed),
    paused: isPaused !== (was.next_at === null),
  }
  return Object.entries(isChanged).flatMap(([field, changed]) => (changed ? [field] : []))
}

/** A pause alone does not count, nor does a name: they say nothing about when the schedule fires. */
const setsTimes = (changed: readonly string[], { nextAt }: ScheduleChange): boolean =>
  changed.some((field) => (field === 'paused' ? nextAt !== null : field !== 'run' && field !== 'name'))

async function applyChange(
  client: pg.PoolClient,
  { customerId, id, by }: ScheduleAct,
  { name, cron, timeZone, catchUp, nextAt, body, setsTimes }: ScheduleChange & { readonly setsTimes: boolean },
): Promise<ScheduleRecord | undefined> {
  const { rows } = await client.query<ScheduleRow>(changeText, [
    customerId,
    id,
    cron,
    timeZone,
    catchUp,
    nextAt !== undefined,
    nextAt ?? null,
    body !== undefined,
    body?.subjectId,
    body?.shown,
    body?.sealed.bytes,
    body?.sealed.keyId,
    by.keyId,
    setsTimes,
    name,
  ])
  return rows[0] && toRecord(rows[0])
}

const changeText = `
update schedules
set cron = $3,
  time_zone = $4,
  catch_up = $5,
  next_at = case when $6 then $7::timestamptz else next_at end,
  due_at = case when $6 then $7::timestamptz else due_at end,
  subject_id = case when $8 then $9 else subject_id end,
  run = case when $8 then $10::json else run end,
  sealed = case when $8 then $11 else sealed end,
  sealed_key = case when $8 then $12 else sealed_key end,
  run_by = case when $8 then $13 else run_by end,
  times_by = case when $14 then $13 else times_by end,
  name = $15,
  updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and id = $2
returning ${columns}`

/** False when the customer has no such schedule. An attempt whose answer was lost counts. */
export const deleteSchedule = (database: Database, { customerId, id, by }: ScheduleAct): Promise<boolean> => {
  let isDeleted = false
  return withRetry(() =>
    database.transaction(async (client) => {
      const text = 'delete from schedules where customer_id = $1 and id = $2'
      const { rowCount } = await client.query(text, [customerId, id])
      if (rowCount === 1) await recordAct(client, actOn({ customerId, id }, by, 'schedule.delete'))
      isDeleted ||= rowCount === 1
      return isDeleted
    }),
  )
}

/** Returns how many there were. Their names are in kept answers, too. */
export async function deleteSchedulesOf(database: Database, customerId: string, subjectId: string): Promise<number> {
  const rows = await database.query({
    text: `
with deleted as (
  delete from schedules
  where customer_id = $1 and subject_id = $2
  returning id
),
forgotten as (
  delete from kept_answers
  where customer_id = $1 and route = 'createSchedule' and result->>'id' in (select id::text from deleted)
)
select id
from deleted`,
    values: [customerId, subjectId],
  })
  return rows.length
}
