// For tests of keys: a database that counts, breaks and holds back statements, a clock set by hand, customers and keys.
import { randomBytes } from 'node:crypto'
import { type Scope, scopes } from '@runwright/contract'
import { type IssuedKey, issueKey } from '../../src/access/issue-key.ts'
import { type ConnectionOptions, Database, type Row, type Statement } from '../../src/store/postgres/database.ts'
import { Occurrences } from './occurrences.ts'

export const keyPepper = randomBytes(32)

export class WatchedDatabase extends Database {
  readonly #executed = new Occurrences<Statement>()
  readonly executed = this.#executed.all
  /** Set: statements fail as if no server listened. */
  isDown = false
  #held: Promise<void> | undefined

  constructor(connection: ConnectionOptions) {
    super({ connection, maxConnections: 4, applicationName: 'runwright test' })
  }

  override async run<R extends Row = Row>(statement: Statement): Promise<R[]> {
    if (this.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const rows = await super.run<R>(statement)
    this.#executed.add(statement)
    await this.#held
    return rows
  }

  untilExecuted(count: number): Promise<unknown> {
    return this.#executed.until((all) => all.length >= count)
  }

  /** Statements are executed, and answered only when the returned function is called. */
  holdAnswers(): () => void {
    let release: () => void = () => undefined
    this.#held = new Promise((resolve) => {
      release = resolve
    })
    return () => {
      this.#held = undefined
      release()
    }
  }
}

export class HandClock {
  ms = 1_000_000
  readonly now = (): number => this.ms
}

export async function addCustomer(database: Database, id: string): Promise<void> {
  await database.run({ text: 'insert into customers (id) values ($1) on conflict do nothing', values: [id] })
}

interface KeyWish {
  readonly customerId?: string
  readonly scopes?: readonly Scope[]
  readonly name?: string
}

export interface TestKey extends IssuedKey {
  readonly id: string
  readonly authorization: string
}

export const bearer = (keyId: string, secret: string): string => `Bearer ${keyId}:${secret}`

export async function addKey(database: Database, wish: KeyWish = {}): Promise<TestKey> {
  const { customerId = 'acme', scopes: wished = scopes, name } = wish
  await addCustomer(database, customerId)
  const request = { scopes: [...wished], ...(name === undefined ? {} : { name }) }
  const issued = await issueKey({ database, keyPepper }, { customerId, scopes: new Set(scopes) }, request)
  return { ...issued, id: issued.key.id, authorization: bearer(issued.key.id, issued.secret) }
}

/** So many milliseconds from now by the database's clock; below zero is past. */
export async function setExpiry(database: Database, keyId: string, inMs: number): Promise<void> {
  await database.run({
    text: "update api_keys set expires_at = clock_timestamp() + $2::float8 * interval '1 millisecond' where id = $1",
    values: [keyId, inMs],
  })
}

export async function endOverlap(database: Database, keyId: string): Promise<void> {
  await database.run({
    text: `
update api_keys
set old_until = array_fill(clock_timestamp() - interval '1 second', array[cardinality(old_until)])
where id = $1`,
    values: [keyId],
  })
}

export async function countKeys(database: Database): Promise<number> {
  const [row] = await database.run<{ count: number }>({ text: 'select count(*) as count from api_keys' })
  return row?.count ?? 0
}
