// The keys that a start makes: those of RUNWRIGHT_BOOTSTRAP_KEYS that are missing, or the very first one of all.
// Any number of processes may start at once; no key is made twice, and none that is there is touched.
import { scopes } from '@runwright/contract'
import { newWireId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/logger.ts'
import type { BootstrapKey } from '../runtime/settings/bootstrap-keys.ts'
import { type BootstrapRow, insertFirstKey, insertMissingKeys } from '../store/keys/bootstrap.ts'
import { type Credentials, findCredentials } from '../store/keys/credentials.ts'
import { type KeyStore, newSecret, type SecretHash, secretHash } from './key-secret.ts'

export interface BootstrapOptions extends KeyStore {
  readonly keys: readonly BootstrapKey[]
  readonly logger: Pick<Logger, 'warn'>
}

const firstCustomer = 'default'

/** Returns the very first key, if this start made it, as `key_…:secret`: to be shown this once. */
export async function bootstrapKeys(options: BootstrapOptions): Promise<string | undefined> {
  if (options.keys.length === 0) return makeFirstKey(options)
  await makeNamedKeys(options)
  return undefined
}

async function makeNamedKeys({ database, keyPepper, keys, logger }: BootstrapOptions): Promise<void> {
  const hash = secretHash(keyPepper)
  await insertMissingKeys(
    database,
    keys.map((key) => toRow(key, hash)),
  )
  const there = await findCredentials(
    database,
    keys.map(({ keyId }) => keyId),
  )
  for (const key of keys) {
    const difference = differenceOf(key, there.get(key.keyId), hash)
    if (difference) logger.warn({ key_id: key.keyId }, `a bootstrap key ${difference}; it was left alone`)
  }
}

async function makeFirstKey({ database, keyPepper }: BootstrapOptions): Promise<string | undefined> {
  const key = { customerId: firstCustomer, keyId: newWireId('key'), secret: newSecret() }
  const made = await insertFirstKey(database, toRow(key, secretHash(keyPepper)))
  return made ? `${key.keyId}:${key.secret}` : undefined
}

const toRow = ({ customerId, keyId, secret }: BootstrapKey, hash: SecretHash): BootstrapRow => ({
  id: keyId,
  customerId,
  name: 'bootstrap',
  scopes,
  secretHash: hash(keyId, secret),
})

function differenceOf(key: BootstrapKey, there: Credentials | undefined, hash: SecretHash): string | undefined {
  if (there?.customerId !== key.customerId) return 'is there and belongs to another customer'
  if (!there.secretHash.equals(hash(key.keyId, key.secret))) return 'is there with another secret'
  return there.revoked ? 'is there and was revoked' : undefined
}
