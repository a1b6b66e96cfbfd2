// Keys of people with roles, made as the operator makes them, for tests of who may decide.
import { randomBytes } from 'node:crypto'
import type { KeyWithSecret } from '@runwright/contract'
import type { Database } from '../../src/store/postgres/database.ts'
import { Caller } from './http.ts'

export interface Person {
  readonly keyId: string
  readonly caller: Caller
}

interface PersonWish {
  /** Null: the key stands for itself. */
  readonly person?: string | null
  readonly roles?: readonly string[]
  readonly scopes?: readonly string[]
}

/** By default, a person of their own who may read and signal. */
export async function addPerson(
  { url, admin, database }: { readonly url: string; readonly admin: Caller; readonly database: Database },
  { person = `p-${randomBytes(4).toString('hex')}`, roles = [], scopes = ['runs:read', 'runs:signal'] }: PersonWish,
): Promise<Person> {
  const reply = await admin.post('/v1/keys', { name: person ?? 'machine', scopes, ...(person !== null && { person }) })
  if (reply.status !== 201) throw new Error(reply.text)
  const { key, secret } = reply.json<KeyWithSecret>()
  await setRoles(database, key.id, roles)
  return { keyId: key.id, caller: new Caller(url, `${key.id}:${secret}`) }
}

/** As the operator does it. Processes that know the key learn of it later. */
export const setRoles = (database: Database, keyId: string, roles: readonly string[]) =>
  database.run({ text: 'update api_keys set roles = $2 where id = $1', values: [keyId, roles] })
