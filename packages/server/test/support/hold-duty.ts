// Takes the duty of the fleet, so that no process sweeps: what happens then is done because a process was told, at
// once.
import type { Database } from '../../src/store/postgres/database.ts'

export async function holdDuty(database: Database): Promise<void> {
  await database.run({ text: 'select pg_advisory_lock(1383428727, 3)' })
}
