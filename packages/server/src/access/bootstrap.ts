// Creates keys at startup: the missing ones of RUNWRIGHT_BOOTSTRAP_KEYS, or else the first key of the installation.
// Several processes can start at once: no key is created twice, and existing keys are not changed.
import { namedScopes, type Scope, scopes } from '@runwright/contract'
import { withoutIncluded } from '../domain/granted-scopes.ts'
import { newWireId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/logger.ts'
import type { BootstrapKey } from '../runtime/settings/bootstrap-keys.ts'
import { type BootstrapRow, insertFirstKey, insertMissingKeys } from '../store/keys/bootstrap.ts'
import { type Credentials, findCredentials } from '../store/keys/credentials.ts'
import { type KeyStore, newSecret, type SecretHash, secretHash } from './key-secret.ts'

interface BootstrapOptions extends KeyStore {
  readonly keys: readonly BootstrapKey[]
  readonly logger: Pick<Logger, 'warn'>
  /** More scopes of the first key, of those that must be named. */
  readonly moreScopes?: readonly Scope[]
}

const firstCustomer = 'default'

/** Returns the first key as `key_…:secret` if this call created it. It cannot be shown again. */
export async function bootstrapKeys(options: BootstrapOptions): Promise<string | undefined> {
  if (options.keys.length === 0) return createFirstKey(options)
  await createConfiguredKeys(options)
  return undefined
}

async function createConfiguredKeys({ database, keyPepper, keys, logger }: BootstrapOptions): Promise<void> {
  const hash = secretHash(keyPepper)
  await insertMissingKeys(
    database,
    keys.map((key) => toRow(key, hash)),
  )
  const existing = await findCredentials(
    database,
    keys.map(({ keyId }) => keyId),
  )
  for (const key of keys) {
    const difference = differenceOf(key, existing.get(key.keyId), hash)
    if (difference) logger.warn({ key_id: key.keyId }, `a bootstrap key ${difference}; it was not changed`)
  }
}

async function createFirstKey({ database, keyPepper, moreScopes }: BootstrapOptions): Promise<string | undefined> {
  const key = { customerId: firstCustomer, keyId: newWireId('key'), secret: newSecret() }
  const created = await insertFirstKey(database, toRow(key, secretHash(keyPepper), moreScopes))
  return created ? `${key.keyId}:${key.secret}` : undefined
}

const toRow = (
  { customerId, keyId, secret }: BootstrapKey,
  hash: SecretHash,
  moreScopes: readonly Scope[] = [],
): BootstrapRow => ({
  id: keyId,
  customerId,
  name: 'bootstrap',
  scopes: withoutIncluded(scopes.filter((scope) => !namedScopes.includes(scope) || moreScopes.includes(scope))),
  secretHash: hash(keyId, secret),
})

function differenceOf(key: BootstrapKey, existing: Credentials | undefined, hash: SecretHash): string | undefined {
  if (existing?.customerId !== key.customerId) return 'already exists and belongs to another customer'
  if (!existing.secretHash.equals(hash(key.keyId, key.secret))) return 'already exists with a different secret'
  return existing.revoked ? 'already exists and is revoked' : undefined
}
