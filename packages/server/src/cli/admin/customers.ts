// `runwright customers …`: list, create, suspend, resume, export and erase the customers of an installation.
import { Command } from 'commander'
import type { KeyStore } from '../../access/key-secret.ts'
import { eraseCustomer } from '../../retention/erase.ts'
import {
  type CustomerRecord,
  findCustomer,
  insertCustomer,
  listCustomers,
  resumeCustomer,
  setCustomerRetention,
  suspendCustomer,
} from '../../store/keys/customers.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { OpenStore } from '../database/open-store.ts'
import { type Printed, printFromStore } from '../database/store-action.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'
import { toJson } from '../output/to-json.ts'
import { type ErasureWaits, eraseFrom, noSuchCustomer, refuseWithoutYes } from './erase-data.ts'
import { writeExport } from './export-data.ts'

const maxRetentionDays = 36_500

interface Options {
  readonly json?: true
}

type Change = (database: Database, id: string) => Promise<CustomerRecord | undefined>

export function customersCommand(open: OpenStore, waits?: ErasureWaits): Command {
  const command = new Command('customers').description('list and change the customers of this installation')
  const add = (signature: string, description: string): Command =>
    command.command(signature).description(description).option('--json', 'print JSON')
  const addChange = (
    verb: string,
    description: string,
    work: (store: KeyStore, id: string) => Promise<CustomerRecord>,
  ) =>
    add(`${verb} <id>`, description).action((id: string, options: Options) =>
      printFromStore(open, async (store) => render(await work(store, id), options)),
    )

  add('list', 'list customers').action((options: Options) => printFromStore(open, (store) => list(store, options)))
  addChange('create', 'create a customer', create)
  addChange('suspend', 'refuse all requests of a customer; takes effect within 5 seconds', (store, id) =>
    change(store, id, suspendCustomer),
  )
  addChange('resume', 'accept requests of a suspended customer again', (store, id) => change(store, id, resumeCustomer))
  add('set-retention <id> <days>', 'remove runs so many days after their end; none: as the settings say').action(
    (id: string, days: string, options: Options) =>
      printFromStore(open, async ({ database }) => render(await setRetention(database, id, days), options)),
  )
  command
    .command('export <id>')
    .description('write everything that is stored of a customer as NDJSON, one record per line')
    .option('--out <file>', 'write to this file instead of stdout')
    .action((id: string, { out }: { readonly out?: string }) =>
      printFromStore(open, (store) => exportAll(store, id, out)),
    )
  command
    .command('erase <id>')
    .description('delete a customer with everything that is stored of it; cannot be undone')
    .option('--yes', 'confirm')
    .action((id: string, { yes }: { readonly yes?: true }) =>
      printFromStore(open, async ({ database }) => {
        refuseWithoutYes(yes, `the customer ${id} with all its data`)
        if (!(await findCustomer(database, id))) throw noSuchCustomer(id)
        return eraseFrom(database, (erasure) => eraseCustomer(erasure, id), waits)
      }),
    )
  return command
}

async function exportAll({ database }: KeyStore, id: string, out: string | undefined): Promise<Pick<Printed, 'notes'>> {
  if (!(await findCustomer(database, id))) throw noSuchCustomer(id)
  return { notes: `Exported ${await writeExport(database, { customerId: id }, out)} records.` }
}

async function setRetention(database: Database, id: string, text: string): Promise<CustomerRecord> {
  const days = text === 'none' ? null : Number(text)
  if (days !== null && !(/^\d{1,5}$/.test(text) && days >= 1 && days <= maxRetentionDays))
    throw new Refusal(`The retention must be none or a whole number of days from 1 to ${maxRetentionDays}.`)
  const customer = await setCustomerRetention(database, id, days)
  if (!customer) throw noSuchCustomer(id)
  return customer
}

const idPattern = /^[A-Za-z0-9._-]{1,64}$/

async function create({ database }: KeyStore, id: string): Promise<CustomerRecord> {
  if (!idPattern.test(id)) throw new Refusal('A customer id must be 1 to 64 characters of A-Z a-z 0-9 . _ -')
  const customer = await insertCustomer(database, id)
  if (!customer) throw new Refusal(`The customer ${id} already exists.`)
  return customer
}

async function change({ database }: KeyStore, id: string, apply: Change): Promise<CustomerRecord> {
  const customer = await apply(database, id)
  if (!customer) throw noSuchCustomer(id)
  return customer
}

async function list({ database }: KeyStore, { json }: Options): Promise<string> {
  const customers = await listCustomers(database)
  if (!json) return renderTable([...columns, { title: 'LIVE KEYS', cell: ({ liveKeys }) => liveKeys }], customers)
  return toJson({ customers: customers.map((customer) => ({ ...toWire(customer), live_keys: customer.liveKeys })) })
}

const columns: readonly Column<CustomerRecord>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'CREATED', cell: ({ createdAt }) => createdAt },
  { title: 'SUSPENDED', cell: ({ suspendedAt }) => suspendedAt },
  { title: 'RETENTION DAYS', cell: ({ retentionDays }) => retentionDays },
]

const render = (customer: CustomerRecord, { json }: Options): string =>
  json ? toJson({ customer: toWire(customer) }) : renderTable(columns, [customer])

const toWire = ({ id, createdAt, suspendedAt, retentionDays }: CustomerRecord) => ({
  id,
  created_at: createdAt.toISOString(),
  suspended_at: suspendedAt?.toISOString() ?? null,
  retention_days: retentionDays,
})
