// Parses `customer=key_id:secret,…`. Errors name the position of an entry, because any part of a malformed entry may be
// the secret.
import type { Parsed } from './parsers.ts'
import { accept, refuse } from './parsers.ts'

export interface BootstrapKey {
  readonly customerId: string
  readonly keyId: string
  readonly secret: string
}

const wanted = 'a comma-separated list of customer=key_id:secret'

export function parseBootstrapKeys(text: string): Parsed<readonly BootstrapKey[]> {
  const keys: BootstrapKey[] = []
  for (const [index, entry] of text.split(',').entries()) {
    const key = splitEntry(entry)
    const problem = problemIn(key) ?? repetitionOf(key, keys)
    if (problem !== undefined) return refuse(`${wanted}, but in entry ${index + 1} ${problem}`)
    keys.push(key)
  }
  return accept(keys)
}

function splitEntry(entry: string): BootstrapKey {
  const [customerId, rest] = splitAtFirst(entry, '=')
  const [keyId, secret] = splitAtFirst(rest, ':')
  return { customerId, keyId, secret }
}

function splitAtFirst(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function problemIn({ customerId, keyId, secret }: BootstrapKey): string | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(customerId))
    return 'the customer id is not 1 to 64 characters of A-Z a-z 0-9 . _ -'
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(keyId)) return 'the key id is not 1 to 128 characters of A-Z a-z 0-9 . _ -'
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'the secret is not printable ASCII without spaces'
  return undefined
}

function repetitionOf(key: BootstrapKey, earlier: readonly BootstrapKey[]): string | undefined {
  const index = earlier.findIndex(({ keyId }) => keyId === key.keyId)
  return index < 0 ? undefined : `the key id repeats that of entry ${index + 1}`
}
