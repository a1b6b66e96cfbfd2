// Answers to requests with an idempotency key: a request that is repeated gets the first answer, and changes nothing.
// For what a customer has few of, such as keys and schedules. Runs keep their idempotency keys themselves.
import { createHash } from 'node:crypto'
import type { RouteName } from '@runwright/contract'
import type pg from 'pg'
import { ServiceError } from '../../domain/service-error.ts'
import { type Database, withRetry } from '../postgres/database.ts'

/** A request with an idempotency key. */
export interface Repeatable {
  readonly route: RouteName
  readonly idempotencyKey: string
  /** Of the body, and of the id in the path. */
  readonly bodyHash: Buffer
  /** If the answer shows a secret: the caller, the only one that gets it again. */
  readonly shownTo?: ShownTo | undefined
}

export interface ShownTo {
  readonly keyId: string
  /** Of the secret that the caller has authenticated with. */
  readonly secretHash: Buffer
}

export interface Once<T> {
  readonly result: T
  /** What the secret of the answer is derived from. */
  readonly seed: Buffer
  /** An earlier request has made the change. */
  readonly isRepeated: boolean
}

interface Change<T> {
  readonly customerId: string
  /** Undefined: the request has no idempotency key. */
  readonly repeatable: Repeatable | undefined
  readonly seed: Buffer
  /** Undefined: refused. Nothing is kept then, so the key can be used again. */
  readonly make: () => Promise<T | undefined>
}

/**
 * In a transaction that holds the lock of the customer, so that requests with the same key take turns. The result is
 * kept with the change: a request that is repeated after a crash gets it.
 */
export async function changeOnce<T extends object>(
  client: pg.PoolClient,
  { customerId, repeatable, seed, make }: Change<T>,
): Promise<Once<T> | undefined> {
  const kept = repeatable && (await findKept(client, customerId, repeatable))
  // With our own seed it is an earlier attempt of this request, whose answer was lost.
  if (kept) return { result: revive<T>(kept.result), seed: kept.seed, isRepeated: !kept.seed.equals(seed) }
  const result = await make()
  if (result === undefined) return undefined
  if (repeatable) await keep(client, { customerId, repeatable, seed, result })
  return { result, seed, isRepeated: false }
}

/** Without the lock: for callers that may have lost the right to make the change, but have the right to its answer. */
export async function findOnce<T extends object>(
  database: Database,
  customerId: string,
  repeatable: Repeatable | undefined,
): Promise<Once<T> | undefined> {
  if (!repeatable) return undefined
  const kept = await withRetry(() => database.withConnection((client) => findKept(client, customerId, repeatable)))
  return kept && { result: revive<T>(kept.result), seed: kept.seed, isRepeated: true }
}

/** The fields of new records that are dates have such names, and no other fields have. */
const isDate = /^at$|(?:At|Until)$/

const revive = <T>(json: string): T =>
  JSON.parse(json, (name, value) => (typeof value === 'string' && isDate.test(name) ? new Date(value) : value))

export const keptHours = 24
const isKept = `created_at > clock_timestamp() - interval '${keptHours} hours'`

type KeptRow = { body_hash: Buffer; result: string; seed: Buffer; is_shown: boolean }

async function findKept(client: pg.ClientBase, customerId: string, repeatable: Repeatable) {
  const { route, bodyHash, shownTo } = repeatable
  const { rows } = await client.query<KeptRow>(findText, [
    customerId,
    route,
    hashOf(repeatable),
    shownTo?.keyId,
    shownTo?.secretHash,
  ])
  const [row] = rows
  if (row && !(row.is_shown && row.body_hash.equals(bodyHash))) throw conflict(row.is_shown)
  return row
}

// A caller with an old secret gets only what it was shown itself: a secret that leaked before a rotation must not lead
// to the new one.
const findText = `
select body_hash, result, seed,
  secret_hash is null or exists (
    select
    from api_keys k
    where k.id = $4 and k.id = a.key_id and k.revoked_at is null and $5 in (k.secret_hash, a.secret_hash)
  ) as is_shown
from kept_answers a
where customer_id = $1 and route = $2 and key_hash = $3 and ${isKept}`

const hashOf = ({ idempotencyKey }: Repeatable): Buffer => createHash('sha256').update(idempotencyKey).digest()

const conflict = (isShown: boolean): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_CONFLICT',
    isShown
      ? 'This idempotency key was used with a different body or id; send the same request, or a new key.'
      : 'This idempotency key was used by another API key, and the answer shows a secret; send a new key.',
  )

interface Kept<T> extends Pick<Change<T>, 'customerId' | 'seed'> {
  readonly repeatable: Repeatable
  readonly result: T
}

async function keep<T>(client: pg.PoolClient, { customerId, repeatable, seed, result }: Kept<T>): Promise<void> {
  const { route, bodyHash, shownTo } = repeatable
  await client.query(keepText, [
    customerId,
    route,
    hashOf(repeatable),
    bodyHash,
    JSON.stringify(result),
    seed,
    shownTo?.keyId,
    shownTo?.secretHash,
  ])
}

// A row that is there is too old to count.
const keepText = `
insert into kept_answers (customer_id, route, key_hash, body_hash, result, seed, key_id, secret_hash)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (customer_id, route, key_hash) do update
set body_hash = excluded.body_hash,
  result = excluded.result,
  seed = excluded.seed,
  key_id = excluded.key_id,
  secret_hash = excluded.secret_hash,
  created_at = excluded.created_at`

/** Deletes answers whose time is over, a limited number of them. Returns how many. */
export async function deleteOldAnswers(database: Database, atMost: number): Promise<number> {
  const rows = await database.query({
    text: `
delete from kept_answers
where (customer_id, route, key_hash) in (
  select customer_id, route, key_hash
  from kept_answers
  where not (${isKept})
  order by created_at
  limit $1
)
returning 1`,
    values: [atMost],
  })
  return rows.length
}
