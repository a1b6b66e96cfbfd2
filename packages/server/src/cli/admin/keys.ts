// `runwright keys …`: list, create, rotate and revoke the API keys of a customer, as the operator.
import { createKeySchema, rotateKeySchema, scopes } from '@runwright/contract'
import { Command, InvalidArgumentError } from 'commander'
import { getKey } from '../../access/get-key.ts'
import type { Granter } from '../../access/granter.ts'
import { type IssuedKey, issueKey } from '../../access/issue-key.ts'
import type { KeyStore } from '../../access/key-secret.ts'
import { revokeKey } from '../../access/revoke-key.ts'
import { defaultOverlapSeconds, rotateKey } from '../../access/rotate-key.ts'
import { checkKeyRequest } from '../../http/routes/keys-body.ts'
import { toWireKey, toWireLeaves } from '../../http/routes/keys-wire.ts'
import { findCustomer } from '../../store/keys/customers.ts'
import { type KeyRecord, listKeys } from '../../store/keys/keys.ts'
import type { OpenStore } from '../database/open-store.ts'
import { type Printed, printFromStore } from '../database/store-action.ts'
import { commandLine } from '../output/command-line.ts'
import type { Io } from '../output/io.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { Refusal } from '../output/refusal.ts'
import { toJson } from '../output/to-json.ts'
import { askToPause, pauseLeft, renderLeaves } from './key-leaves.ts'

interface CommonOptions {
  readonly customer: string
  readonly json?: true
}

interface CreateOptions extends CommonOptions {
  readonly name?: string
  readonly scopes?: string[]
  readonly role?: string[]
  readonly person?: string
  readonly expiresAt?: string
}

interface RotateOptions extends CommonOptions {
  readonly overlapSeconds?: number
  readonly role?: string[]
}

interface RevokeOptions extends CommonOptions {
  readonly stop?: true
}

export function keysCommand(open: OpenStore, io: Io = process): Command {
  const command = new Command('keys').description('list and change the API keys of a customer')
  const add = (signature: string, description: string): Command =>
    command
      .command(signature)
      .description(description)
      .option('--customer <id>', 'the customer that owns the keys', 'default')
      .option('--json', 'print JSON')

  add('list', 'list keys, newest first').action((options: CommonOptions) =>
    printFromStore(open, (store) => list(store, options)),
  )
  add('create', 'create a key and show its secret; it cannot be shown again')
    .option('--name <text>', 'what the key is for')
    .option(
      '--scopes <list>',
      `comma-separated list of ${scopes.join(', ')} (default: all but audit:read, tokens:create, links:create and those that end in :admin; runs:write includes runs:signal)`,
      splitList,
    )
    .option('--role <list>', 'comma-separated list of roles: what it may decide', splitList)
    .option('--person <text>', 'whose key it is; an approval counts once per person')
    .option('--expires-at <time>', 'ISO 8601 with a time zone offset')
    .action((options: CreateOptions) => printFromStore(open, (store) => create(store, options)))
  add('rotate <key_id>', 'give a key a new secret and show it; it cannot be shown again')
    .option(
      '--overlap-seconds <number>',
      `how long the old secret stays valid; 0 ends all old ones (default: ${defaultOverlapSeconds})`,
      readNumber,
    )
    .option(
      '--role <list>',
      'comma-separated list of its roles from now on; "" for none (default: as before)',
      splitList,
    )
    .action((keyId: string, options: RotateOptions) => printFromStore(open, (store) => rotate(store, keyId, options)))
  add('revoke <key_id>', 'revoke a key permanently, and show what it has set up that goes on')
    .option('--stop', 'also pause the schedules whose run or times the key has set')
    .action((keyId: string, options: RevokeOptions) =>
      printFromStore(open, (store) => revoke(store, keyId, { ...options, io })),
    )
  return command
}

const splitList = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((part) => part.trim()))

function readNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

async function list({ database }: KeyStore, { customer, json }: CommonOptions): Promise<string> {
  await getOperator({ database }, customer)
  const keys = await listKeys(database, customer)
  return json ? toJson({ keys: keys.map(toWireKey) }) : renderKeys(keys)
}

async function create(store: KeyStore, options: CreateOptions): Promise<string | Printed> {
  const { customer, name, scopes: asked, role: roles, person, expiresAt: expires_at, json } = options
  const request = checkKeyRequest(createKeySchema, { name, scopes: asked, roles, person, expires_at })
  const issued = await issueKey(store, await getOperator(store, customer), request)
  return json
    ? toJsonWithSecret(issued)
    : renderWithSecret(issued, 'Use it as Authorization: Bearer <key_id>:<secret>.')
}

async function rotate(store: KeyStore, keyId: string, options: RotateOptions): Promise<string | Printed> {
  const { overlap_seconds: overlapSeconds, roles } = checkKeyRequest(rotateKeySchema, {
    overlap_seconds: options.overlapSeconds,
    roles: options.role,
  })
  const issued = await rotateKey(store, await getOperator(store, options.customer), { keyId, overlapSeconds, roles })
  return options.json
    ? toJsonWithSecret(issued)
    : renderWithSecret(issued, `The old secret stays valid for ${overlapSeconds ?? defaultOverlapSeconds} seconds.`)
}

async function revoke(
  store: KeyStore,
  keyId: string,
  { customer, json, stop, io }: RevokeOptions & { readonly io: Io },
): Promise<string> {
  await revokeKey(store, { customerId: customer }, keyId)
  const { leaves } = await getKey(store.database, customer, keyId)
  const isStopping = stop ?? (!json && (await askToPause(io, leaves.schedules)))
  const paused = isStopping ? await pauseLeft(store, customer, leaves.schedules) : []
  const { key, leaves: left } = await getKey(store.database, customer, keyId)
  if (json) return toJson({ key: toWireKey(key), leaves: toWireLeaves(left), paused })
  return [
    renderKeys([key]),
    'The key is revoked. All processes refuse it within 5 seconds.',
    ...paused.map((id) => `Paused ${id}.`),
    ...renderLeaves(left, customer),
  ].join('\n\n')
}

/** The operator can grant all scopes, to any existing customer. */
async function getOperator({ database }: Pick<KeyStore, 'database'>, customerId: string): Promise<Granter> {
  if (await findCustomer(database, customerId)) return { customerId, scopes: new Set(scopes) }
  throw new Refusal(
    `The customer ${JSON.stringify(customerId)} does not exist. Run ${commandLine('customers list')} to see all customers.`,
  )
}

const columns: readonly Column<KeyRecord>[] = [
  { title: 'ID', cell: (key) => key.id },
  { title: 'NAME', cell: (key) => key.name },
  { title: 'SCOPES', cell: (key) => key.scopes.join(',') },
  { title: 'CREATED', cell: (key) => key.createdAt },
  { title: 'EXPIRES', cell: (key) => key.expiresAt },
  { title: 'REVOKED', cell: (key) => key.revokedAt },
  { title: 'LAST USED', cell: (key) => key.lastUsedAt },
]

/** Shown if any key has them. */
const ofPeople: readonly Column<KeyRecord>[] = [
  { title: 'PERSON', cell: (key) => key.person },
  { title: 'ROLES', cell: (key) => key.roles.join(',') },
]

function renderKeys(keys: readonly KeyRecord[]): string {
  const hasPeople = keys.some(({ person, roles }) => person !== null || roles.length > 0)
  return renderTable(hasPeople ? [...columns, ...ofPeople] : columns, keys)
}

const toJsonWithSecret = ({ key, secret }: IssuedKey): string => toJson({ key: toWireKey(key), secret })

/** stdout has only the key, so that a script can keep it: `KEY=$(runwright keys create)`. */
const renderWithSecret = ({ key, secret }: IssuedKey, hint: string): Printed => ({
  notes: `${renderKeys([key])}\n\nStore the key now: it cannot be shown again. ${hint}\n`,
  result: `${key.id}:${secret}`,
})
