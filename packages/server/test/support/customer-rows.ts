// Rows of a customer in every table that has some, for tests that move them.
import { chainActs } from '../../src/store/audit/chain-acts.ts'
import { readCustomerParts } from '../../src/store/cells/customer-parts.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import type { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { addKey } from './access.ts'

/** Ten in each minute. */
const uuid = (n: string) =>
  `('0199' || lpad(to_hex(${n} / 10), 4, '0') || '-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const ended = 'generate_series(1, $2::integer) n'

/**
 * So many ended runs with everything that a run can leave, and one that is queued. The last ended one has sealed
 * values.
 */
export async function seedCustomer(database: Database, customerId: string, runs: number): Promise<void> {
  const { id: keyId } = await addKey(database, { customerId })
  const statements = [
    `insert into runs (customer_id, id, workspace_id, run_class, state, next_seq, tokens, request_id, idempotency_key,
      created_at, updated_at, deadline_at)
    select $1, ${uuid('n')}, 'w', 'default', 'succeeded', 3, 7, 'req', 'key-' || n, now(), now(), now() from ${ended}`,
    `insert into runs (customer_id, id, run_class, state, next_seq, ready_at, request_id, idempotency_key, created_at,
      updated_at, deadline_at)
    values ($1, ${uuid('$2::integer + 1')}, 'default', 'queued', 2, now() - interval '1 hour', 'req', 'open', now(), now(), now())`,
    `insert into run_inputs (customer_id, run_id, body_hash, input, metadata, token_limit, duration_seconds,
      signal_timeout_seconds, created_at, created_payload)
    select customer_id, id, sha256('x'), '{ "a" : 1.50 }', '{}', 1, 0.1, 1, now(), '{}' from runs where customer_id = $1
      and $2::integer > 0`,
    `insert into run_results (customer_id, run_id, redacted, value) select $1, ${uuid('n')}, false, 'null' from ${ended}`,
    `insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
    select $1, ${uuid('n')}, 2, 1, 'run.worker.succeeded', true, false, now(), '{"text":"tab\\tand \\\\ and é"}' from ${ended}`,
    `insert into journal (customer_id, run_id, key, body) select $1, ${uuid('n')}, 'plan', 'null' from ${ended}`,
    `insert into turns (customer_id, run_id, seq, attempt, epoch, task_key, call_key, role, started_at, shared, messages,
      body, size)
    select $1, ${uuid('n')}, 1, 1, 1, 't', 'c', 'worker', now(), 0, '[]', '{}', 4 from ${ended}`,
    `insert into signals (customer_id, run_id, seq, body_hash, action, payload, key_id, via, asked, asked_content)
    select $1, ${uuid('n')}, 2, sha256('y'), 'approve', 'null', 'k', 'api', '{}', '{}' from ${ended}`,
    `insert into votes (customer_id, run_id, await_seq, nth, at, body_hash, action, key_id, roles, via, asked,
      asked_content)
    select $1, ${uuid('n')}, 2, 1, now(), sha256('z'), 'approve', 'k', '[]', 'link', '{}', '{}' from ${ended}`,
    `insert into usage_rows (customer_id, run_id, key, event_type, quantity, at)
    select $1, ${uuid('n')}, 'u', 'tokens.consumed', 7, now() from ${ended}`,
    `insert into memory_items (customer_id, id, run_id, kind, harness, title, content, tags, created_at, updated_at)
    select $1, ${uuid('n')}, ${uuid('n')}, 'episode', n > 1, 'title', 'content', '{a,"b c"}', now(), now() from ${ended}`,
  ]
  for (const text of statements) await database.run({ text, values: [customerId, runs] })
  const others = [
    `insert into usage_deltas (customer_id, hour, event_type, count, quantity) values ($1, now(), 'run.created', 1, 1)`,
    `insert into usage_totals (customer_id, grain, level, period, event_type, count, quantity)
    values ($1, 'month', 'customer', now(), 'run.created', 1, 1)`,
    `insert into usage_hours (customer_id, since) values ($1, now())`,
    `insert into budgets (customer_id, level, period, tokens, created_at, updated_at)
    values ($1, 'customer', 'day', 5, now(), now())`,
    `insert into memory_versions (customer_id, version) values ($1, 3)`,
    `insert into trimmed_runs (customer_id, up_to) values ($1, ${uuid('1')})`,
    `insert into removed_keys (customer_id, key_hash) values ($1, sha256('k'))`,
    `insert into kept_answers (customer_id, route, key_hash, body_hash, result, seed)
    values ($1, 'createSchedule', sha256('k'), sha256('b'), '{}', 'seed')`,
    `insert into removed_usage (customer_id, hour, event_type, count, quantity) values ($1, now(), 'run.created', 1, 1)`,
    `insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at)
    values ($1, ${uuid('1')}, ${uuid('1')}, 2, 'run.worker.succeeded', 'succeeded', now(), now(), now())`,
  ]
  for (const text of others) await database.run({ text, values: [customerId] })
  // The chain has what `addKey` did and one act; another act is not chained yet.
  for (const chained of [1_000, 0]) {
    const text = `insert into audit_queue (customer_id, at, action, key_id, via, run_id, details)
    values ($1, now(), 'run.signal', $2, 'api', ${uuid('1')}, '{"action":"approve"}')`
    await database.run({ text, values: [customerId, keyId] })
    await chainActs(database, chained)
  }
  await database.run({
    text: `insert into console_sessions (token_hash, customer_id, key_id, secret_hash, expires_at)
    values (sha256(convert_to($1::text, 'UTF8')), $1::text, $2, sha256('s'), now() + interval '1 day')`,
    values: [customerId, keyId],
  })
}

/** Seals a value of the customer's first run. */
export async function sealValue(
  database: Database,
  keys: SealingKeys,
  customerId: string,
  value: unknown,
): Promise<void> {
  const runId = '01990000-0000-7000-8000-000000000001'
  const { bytes, keyId } = keys.keyring.seal(value, { runId, customerId })
  await database.run({
    text: 'update run_inputs set sealed = $3, sealed_key = $4 where customer_id = $1 and run_id = $2',
    values: [customerId, runId, bytes, keyId],
  })
}

/** A webhook with that secret, and with an old one that is the same text with `_old` behind it. */
export async function addWebhook(
  database: Database,
  keys: SealingKeys,
  customerId: string,
  secret: string,
): Promise<void> {
  const webhookId = '01990000-0000-7000-8000-000000000001'
  const { bytes, keyId } = keys.keyring.seal(secret, { customerId, webhookId })
  const old = keys.keyring.seal(`${secret}_old`, { customerId, webhookId })
  await database.run({
    text: `insert into webhooks (customer_id, id, url, event_types, sealed, sealed_key, old_sealed, old_sealed_keys,
      old_until)
    values ($1, $2, 'https://example.com/hook', '{run.created}', $3, $4, array[$5::bytea], array[$6::integer],
      array[now() + interval '1 day'])`,
    values: [customerId, webhookId, bytes, keyId, old.bytes, old.keyId],
  })
}

/** A schedule with that body. */
export async function addSchedule(
  database: Database,
  keys: SealingKeys,
  customerId: string,
  body: string,
): Promise<void> {
  const scheduleId = '01990000-0000-7000-8000-000000000002'
  const { bytes, keyId } = keys.keyring.seal(body, { customerId, scheduleId })
  await database.run({
    text: `insert into schedules (customer_id, id, cron, time_zone, catch_up, run, sealed, sealed_key, next_at, due_at)
    values ($1, $2, '0 9 * * *', 'UTC', 'all', '{}', $3, $4, now() + interval '1 hour', now() + interval '1 hour')`,
    values: [customerId, scheduleId, bytes, keyId],
  })
}

/** The rows of each table as text. Sealed values and the time from which a run is ready differ between cells. */
export async function rowsOfCustomer(database: Database, customerId: string): Promise<Record<string, string[]>> {
  return database.withConnection(async (client) => {
    const { byId, whole } = await readCustomerParts(client)
    const found: Record<string, string[]> = {}
    for (const { table, columns } of [...byId.flatMap(({ parts }) => parts), ...whole]) {
      const compared = columns.filter(
        (column) => !['sealed', 'sealed_key', 'old_sealed', 'old_sealed_keys', 'ready_at'].includes(column),
      )
      const { rows } = await client.query<{ row: string }>(
        `select row(${compared.join(', ')})::text as row from ${table} where customer_id = $1 order by 1`,
        [customerId],
      )
      found[table] = rows.map(({ row }) => row)
    }
    return found
  })
}
