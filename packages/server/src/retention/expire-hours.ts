// Deletes the usage totals per hour of days that are long past. Those per day and month stay.
import type { Database } from '../store/postgres/database.ts'
import { expireHours } from '../store/usage/hours.ts'

const keptDays = 35
const dayMs = 86_400_000
const customersAtOnce = 100

/** Deletes some; the next call continues. `now` only needs to be right to the day. */
export async function expireUsageHours(database: Database, now = new Date()): Promise<{ days: number }> {
  const before = new Date(Math.floor(now.getTime() / dayMs - keptDays) * dayMs)
  return { days: await expireHours(database, before, customersAtOnce) }
}
