// `runwright subjects …`: export and erase the data of one subject of a customer.
import { Command } from 'commander'
import { eraseSubject } from '../../retention/erase.ts'
import { findCustomer } from '../../store/keys/customers.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { OpenStore } from '../database/open-store.ts'
import { printFromStore } from '../database/store-action.ts'
import { type ErasureWaits, eraseFrom, noSuchCustomer, refuseWithoutYes } from './erase-data.ts'
import { writeExport } from './export-data.ts'

export function subjectsCommand(open: OpenStore, waits?: ErasureWaits): Command {
  const command = new Command('subjects').description('export and erase the data of a subject')
  const add = (verb: string, description: string): Command =>
    command
      .command(verb)
      .description(description)
      .argument('<customer>', 'the id of the customer')
      .argument('<subject>', 'the subject_id of the runs')
  add('export', 'write the runs, usage and memory of a subject as NDJSON, one record per line')
    .option('--out <file>', 'write to this file instead of stdout')
    .action((customer: string, subject: string, { out }: { readonly out?: string }) =>
      printFromStore(open, async ({ database }) => {
        await checkCustomer(database, customer)
        const lines = await writeExport(database, { customerId: customer, subjectId: subject }, out)
        return { notes: `Exported ${lines} records.` }
      }),
    )
  add('erase', 'delete the runs and memory of a subject, and its label in usage; cannot be undone')
    .option('--yes', 'confirm')
    .action((customer: string, subject: string, { yes }: { readonly yes?: true }) =>
      printFromStore(open, async ({ database }) => {
        refuseWithoutYes(yes, `all data of the subject ${JSON.stringify(subject)} of the customer ${customer}`)
        await checkCustomer(database, customer)
        return eraseFrom(database, (options) => eraseSubject(options, customer, subject), waits)
      }),
    )
  return command
}

async function checkCustomer(database: Database, id: string): Promise<void> {
  if (!(await findCustomer(database, id))) throw noSuchCustomer(id)
}
