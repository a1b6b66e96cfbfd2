// Shared by the commands that erase data: the confirmation, the waits, and what they print.
import type { Erased, ErasureOptions } from '../../retention/erase.ts'
import { sleep } from '../../runtime/backoff.ts'
import { readSettings } from '../../runtime/settings/settings.ts'
import type { Database } from '../../store/postgres/database.ts'
import { withLongStatements } from '../database/long-statements.ts'
import { commandLine } from '../output/command-line.ts'
import { Refusal } from '../output/refusal.ts'

/** Tests replace it. */
export type ErasureWaits = Pick<ErasureOptions, 'leaseMs' | 'pause'>

const waitsOf = (env: NodeJS.ProcessEnv): ErasureWaits => ({
  leaseMs: readSettings(env).engine.leaseSeconds * 1000,
  pause: sleep,
})

export function refuseWithoutYes(yes: true | undefined, what: string): void {
  if (!yes) throw new Refusal(`This deletes ${what}, and cannot be undone. Repeat the command with --yes.`)
}

export const noSuchCustomer = (id: string): Refusal =>
  new Refusal(
    `The customer ${JSON.stringify(id)} does not exist. Run ${commandLine('customers list')} to see all customers.`,
  )

export async function eraseFrom(
  database: Database,
  erase: (options: ErasureOptions) => Promise<Erased>,
  waits: ErasureWaits = waitsOf(process.env),
): Promise<string> {
  const { runs, memoryItems } = await withLongStatements(database, (longRunning) =>
    erase({ ...waits, database: longRunning }),
  )
  return `Erased ${runs} runs and ${memoryItems} memory items.`
}
