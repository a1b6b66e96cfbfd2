// `runwright customers …`: list, create, suspend and resume the customers of an installation.
import { Command } from 'commander'
import type { KeyStore } from '../access/key-secret.ts'
import {
  type CustomerRecord,
  insertCustomer,
  listCustomers,
  resumeCustomer,
  suspendCustomer,
} from '../store/keys/customers.ts'
import type { Database } from '../store/postgres/database.ts'
import type { OpenStore } from './open-store.ts'
import { type Column, renderTable } from './output/print-table.ts'
import { Refusal } from './output/refusal.ts'
import { toJson } from './output/to-json.ts'
import { printFromStore } from './store-action.ts'

interface Options {
  readonly json?: true
}

type Change = (database: Database, id: string) => Promise<CustomerRecord | undefined>

export function customersCommand(open: OpenStore): Command {
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
  return command
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
  if (!customer)
    throw new Refusal(
      `The customer ${JSON.stringify(id)} does not exist. Run runwright customers list to see all customers.`,
    )
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
]

const render = (customer: CustomerRecord, { json }: Options): string =>
  json ? toJson({ customer: toWire(customer) }) : renderTable(columns, [customer])

const toWire = ({ id, createdAt, suspendedAt }: CustomerRecord) => ({
  id,
  created_at: createdAt.toISOString(),
  suspended_at: suspendedAt?.toISOString() ?? null,
})
