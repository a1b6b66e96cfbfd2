// The keys of a database: one that seals values, newer ones each time the encryption key was changed, and one for hashes.
// They lie in the database, wrapped by the installation's encryption key; a process holds them unwrapped.
//
// Changing the encryption key: a host that has the new one, and the old one as its previous, makes a new data key and wraps
// it, like all others, by both. So hosts that still have the old one alone go on reading and writing, with the new data
// key too. Once nothing is sealed with older data keys, a host that has only the new one takes the wraps of older encryption
// keys away: from then on those open nothing.
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { seal, unseal } from '../../runtime/cipher.ts'
import { Keyring } from '../../runtime/cipher-keyring.ts'
import { deriveKey, hashWith, type KeyedHash } from '../../runtime/keyed-hash.ts'
import { type EncryptionKeys, fingerprint } from '../../runtime/secrets.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Database } from '../postgres/database.ts'

type Purpose = 'values' | 'hashes'

interface DataKey {
  readonly id: number
  readonly purpose: Purpose
  readonly madeUnder: string
  readonly bytes: Buffer
}

type WrapRow = { id: number; purpose: Purpose; made_under: string; wrapped_by: string | null; wrapped: Buffer | null }

export class SealingKeys {
  readonly keyring = new Keyring()
  readonly #database: Database
  /** By fingerprint, the current one first. */
  readonly #own: ReadonlyMap<string, Buffer>
  readonly #current: string
  #hash: KeyedHash | undefined

  constructor(database: Database, { encryptionKey, previousEncryptionKeys = [] }: EncryptionKeys) {
    this.#database = database
    this.#own = new Map([encryptionKey, ...previousEncryptionKeys].map((key) => [fingerprint(key), key]))
    this.#current = fingerprint(encryptionKey)
  }

  /** Makes what is missing; throws a SettingsError when these are not the keys of this database. */
  async open(): Promise<void> {
    const keys = await this.#database.transaction(async (client) => {
      await client.query('lock table data_keys in share row exclusive mode')
      const rows = await readWraps(client)
      return rows.length === 0 ? this.#makeFirst(client) : this.#bringUpToDate(client, rows)
    })
    this.#take(keys)
  }

  /** Learns of keys that another host has made. */
  async refresh(): Promise<void> {
    const rows = await this.#database.withConnection(readWraps)
    this.#take(this.#unwrapAll(rows).filter((key) => key !== undefined))
  }

  /** Learns of these keys too, if one of them is not known yet. */
  async ensure(keyIds: readonly number[]): Promise<void> {
    if (keyIds.some((id) => id > 0 && !this.keyring.knows(id))) await this.refresh()
  }

  /**
   * Takes away what older encryption keys than ours unwrap, unless they are among our previous ones. Only older ones: a
   * host that was left behind must not take away what the others need.
   */
  async forgetOlder(): Promise<number> {
    const rows = await this.#database.query({
      text: `
delete from data_key_wraps
where wrapped_by <> all($1::text[])
  and not exists (
    select
    from data_keys newer
    where newer.made_under <> all($1::text[])
      and newer.id > (select coalesce(max(id), 0) from data_keys where made_under = $2)
  )
returning 1`,
      values: [[...this.#own.keys()], this.#current],
    })
    return rows.length
  }

  /** Of a request's body: whether two are the same can be told without keeping either. */
  readonly hashBody: KeyedHash = (text) => {
    if (this.#hash === undefined) throw new Error('the keys of the database have not been opened')
    return this.#hash(text)
  }

  #take(keys: readonly DataKey[]): void {
    const values = keys.filter(({ purpose }) => purpose === 'values')
    this.keyring.learn(new Map(values.map(({ id, bytes }) => [id, bytes])))
    const hashKey = keys.find(({ purpose }) => purpose === 'hashes')
    if (hashKey) this.#hash = hashWith(hashKey.bytes)
  }

  async #makeFirst(client: pg.PoolClient): Promise<DataKey[]> {
    const hashKey = await this.#firstHashKey(client)
    return [await this.#make(client, 'hashes', hashKey), await this.#make(client, 'values', randomBytes(32))]
  }

  /** Until there were data keys, bodies were hashed with a key derived from the encryption key of that time. */
  async #firstHashKey(client: pg.PoolClient): Promise<Buffer> {
    const { rows } = await client.query(`
select (select fingerprint from secret_fingerprints where name = 'encryption_key') as fingerprint,
  exists (select from runs) as has_runs`)
    const { fingerprint: first, has_runs: hasRuns } = rows[0]
    const key = this.#own.get(first ?? this.#current)
    if (key === undefined) throw wrongKey()
    return hasRuns ? deriveKey(key, 'request body') : randomBytes(32)
  }

  async #bringUpToDate(client: pg.PoolClient, rows: readonly WrapRow[]): Promise<DataKey[]> {
    const keys = this.#unwrapAll(rows)
    if (!keys.every((key) => key !== undefined)) throw wrongKey()
    for (const key of keys) {
      const isWrapped = rows.some(({ id, wrapped_by }) => id === key.id && wrapped_by === this.#current)
      if (!isWrapped) await this.#wrap(client, key, this.#current)
    }
    const newest = keys.findLast(({ purpose }) => purpose === 'values')
    // The newest was made under another key: is that one to be replaced, or is it the one that replaces ours?
    const isReplaced = newest === undefined || (newest.madeUnder !== this.#current && this.#own.has(newest.madeUnder))
    if (isReplaced) keys.push(await this.#make(client, 'values', randomBytes(32)))
    return keys
  }

  async #make(client: pg.PoolClient, purpose: Purpose, bytes: Buffer): Promise<DataKey> {
    const { rows } = await client.query('insert into data_keys (purpose, made_under) values ($1, $2) returning id', [
      purpose,
      this.#current,
    ])
    const key = { id: rows[0].id, purpose, madeUnder: this.#current, bytes }
    for (const name of this.#own.keys()) await this.#wrap(client, key, name)
    return key
  }

  async #wrap(client: pg.PoolClient, key: DataKey, name: string): Promise<void> {
    const wrapped = seal(this.#own.get(name) as Buffer, key.bytes, placeOf(key))
    await client.query('insert into data_key_wraps (data_key, wrapped_by, wrapped) values ($1, $2, $3)', [
      key.id,
      name,
      wrapped,
    ])
  }

  /** Undefined for one that none of our keys unwraps. */
  #unwrapAll(rows: readonly WrapRow[]): (DataKey | undefined)[] {
    return [...new Set(rows.map(({ id }) => id))].map((wanted) => {
      const row = rows.find(({ id, wrapped_by }) => id === wanted && this.#own.has(wrapped_by ?? ''))
      const key = row?.wrapped_by && this.#own.get(row.wrapped_by)
      if (!key || !row.wrapped) return undefined
      const { id, purpose, made_under: madeUnder } = row
      return { id, purpose, madeUnder, bytes: unseal(key, row.wrapped, placeOf(row)) }
    })
  }
}

const placeOf = ({ id, purpose }: { id: number; purpose: Purpose }): string => `runwright data key\0${id}\0${purpose}`

async function readWraps(client: pg.PoolClient): Promise<WrapRow[]> {
  const { rows } = await client.query(`
select k.id, k.purpose, k.made_under, w.wrapped_by, w.wrapped
from data_keys k
left join data_key_wraps w on w.data_key = k.id
order by k.id, w.wrapped_by`)
  return rows
}

const wrongKey = () =>
  new SettingsError(
    'RUNWRIGHT_ENCRYPTION_KEY differs from the one this database was set up with: hosts that share a database must share it, whether set or kept in the data folder, and while it is being changed the old one belongs into RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS.',
  )
