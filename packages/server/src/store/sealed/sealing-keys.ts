// The data keys of a database: keys that seal values, a new one after each change of the encryption key, and one key
// for hashes. The database stores them wrapped by the installation's encryption key; a process holds them unwrapped.
//
// A change of the encryption key: a host that has the new key, and the old one as previous key, creates a new data key
// and wraps all data keys by both. Hosts that have only the old key continue to read and write, with the new data key
// too. When nothing is sealed with older data keys, a host that has only the new key deletes the wraps of older
// encryption keys: from then on those keys open nothing.
import { createHmac, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { seal, unseal } from '../../runtime/secrets/cipher.ts'
import { Keyring } from '../../runtime/secrets/cipher-keyring.ts'
import { hashWith, type KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import { type EncryptionKeys, fingerprint } from '../../runtime/secrets/secrets.ts'
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
  readonly #pepper: Buffer | undefined
  #hash: KeyedHash | undefined

  constructor(
    database: Database,
    { encryptionKey, previousEncryptionKeys = [], keyPepper }: EncryptionKeys & { readonly keyPepper?: Buffer },
  ) {
    this.#database = database
    this.#pepper = keyPepper
    this.#own = new Map([encryptionKey, ...previousEncryptionKeys].map((key) => [fingerprint(key), key]))
    this.#current = fingerprint(encryptionKey)
  }

  /** Creates missing keys. Throws a SettingsError when the encryption keys do not open those of this database. */
  async open(): Promise<void> {
    const keys = await this.#database.transaction(async (client) => {
      await client.query('lock table data_keys in share row exclusive mode')
      const rows = await readWraps(client)
      return rows.length === 0 ? this.#makeFirst(client) : this.#bringUpToDate(client, rows)
    })
    this.#take(keys)
  }

  /** Loads keys that another host has created. */
  async refresh(): Promise<void> {
    const rows = await this.#database.withConnection(readWraps)
    this.#take(this.#unwrapAll(rows).filter((key) => key !== undefined))
  }

  /** Loads the keys of the database if one of these is not known yet. */
  async ensure(keyIds: readonly number[]): Promise<void> {
    if (keyIds.some((id) => id > 0 && !this.keyring.knows(id))) await this.refresh()
  }

  /**
   * Deletes the wraps of encryption keys that are older than ours and not among our previous keys. Only older ones: a
   * host with an outdated key must not delete what the others need.
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

  /** The hash of a request's body: two bodies can be compared without storing either. */
  readonly hashBody: KeyedHash = (text) => {
    if (this.#hash === undefined) throw new Error('the data keys have not been opened')
    return this.#hash(text)
  }

  #take(keys: readonly DataKey[]): void {
    const values = keys.filter(({ purpose }) => purpose === 'values')
    this.keyring.learn(new Map(values.map(({ id, bytes }) => [id, bytes])))
    const hashKey = keys.find(({ purpose }) => purpose === 'hashes')
    if (hashKey) this.#hash = hashWith(hashKey.bytes)
  }

  async #makeFirst(client: pg.PoolClient): Promise<DataKey[]> {
    return [await this.#make(client, 'hashes', this.#hashKey()), await this.#make(client, 'values', randomBytes(32))]
  }

  /** Derived from the pepper, so that all cells have the same: a repeated request is recognised after a move. */
  #hashKey(): Buffer {
    return this.#pepper ? createHmac('sha256', this.#pepper).update('runwright body hashes').digest() : randomBytes(32)
  }

  async #bringUpToDate(client: pg.PoolClient, rows: readonly WrapRow[]): Promise<DataKey[]> {
    const keys = this.#unwrapAll(rows)
    if (!keys.every((key) => key !== undefined)) throw wrongKey()
    for (const key of keys) {
      const isWrapped = rows.some(({ id, wrapped_by }) => id === key.id && wrapped_by === this.#current)
      if (!isWrapped) await this.#wrap(client, key, this.#current)
    }
    const newest = keys.findLast(({ purpose }) => purpose === 'values')
    // The newest was created under another key. If that is one of our previous keys, ours replaces it.
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

  /** Undefined for a key that none of our encryption keys unwraps. */
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
    'RUNWRIGHT_ENCRYPTION_KEY differs from the one this database was set up with. Hosts that share a database must share the key, whether it is set or kept in the data folder. While you change the key, set the old one as RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS.',
  )
