// Finds what goes on after a key is revoked, because the key has set it up. Everything is of the same customer.
import type { Database } from '../postgres/database.ts'
import { isLive } from './keys.ts'

export interface KeyLeaves {
  /** Schedules that are not paused, and whose `run` or times the key has set last. */
  readonly schedules: readonly LeftSchedule[]
  /** Webhooks whose URL it has set, and that are neither paused nor disabled. */
  readonly webhooks: readonly { readonly id: string; readonly url: string }[]
  /** Keys that are valid. It has created them or rotated them, so it was shown a secret of theirs. */
  readonly keys: readonly { readonly id: string; readonly name: string | null }[]
}

export interface LeftSchedule {
  readonly id: string
  readonly name: string | null
  readonly cron: string
  readonly timeZone: string
  readonly nextAt: Date
}

interface KeyName {
  readonly customerId: string
  readonly keyId: string
}

/** No pages: the numbers of schedules, webhooks and valid keys of a customer are limited. */
export async function findKeyLeaves(database: Database, name: KeyName): Promise<KeyLeaves> {
  const [schedules, webhooks, keys] = await Promise.all([
    findSchedulesOf(database, name),
    findWebhooksOf(database, name),
    findKeysOf(database, name),
  ])
  return { schedules, webhooks, keys }
}

type LeftScheduleRow = { id: string; name: string | null; cron: string; time_zone: string; next_at: Date }

async function findSchedulesOf(database: Database, { customerId, keyId }: KeyName): Promise<LeftSchedule[]> {
  const rows = await database.query<LeftScheduleRow>({
    text: `
select id, name, cron, time_zone, next_at
from schedules
where customer_id = $1 and (run_by = $2 or times_by = $2) and next_at is not null
order by id`,
    values: [customerId, keyId],
  })
  return rows.map(({ id, name, cron, time_zone, next_at }) => ({
    id,
    name,
    cron,
    timeZone: time_zone,
    nextAt: next_at,
  }))
}

const findWebhooksOf = (database: Database, { customerId, keyId }: KeyName) =>
  database.query<{ id: string; url: string }>({
    text: `
select id, url
from webhooks
where customer_id = $1 and url_by = $2 and disabled_at is null and paused_at is null
order by id`,
    values: [customerId, keyId],
  })

const findKeysOf = (database: Database, { customerId, keyId }: KeyName) =>
  database.query<{ id: string; name: string | null }>({
    text: `
select id, name
from api_keys
where customer_id = $1 and (created_by = $2 or rotated_by = $2) and id <> $2 and ${isLive}
order by created_at, id`,
    values: [customerId, keyId],
  })
