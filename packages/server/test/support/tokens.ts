// Tokens for tests: made by the service, or written with its secrets where the service would refuse to.
import type { CreateToken, TokenResult } from '@runwright/contract'
import { expect } from 'vitest'
import { TokenForm } from '../../src/access/token-form.ts'
import type { TokenClaims } from '../../src/domain/principal.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { Caller } from './http.ts'

/** Who calls with a token that the key makes. */
export async function withToken(caller: Caller, request: Partial<CreateToken>): Promise<Caller> {
  const reply = await caller.post('/v1/tokens', { scopes: ['runs:read'], expires_in: 600, ...request })
  expect(reply.status, reply.text).toBe(200)
  return new Caller(caller.url, reply.json<TokenResult>().token)
}

interface Writer {
  readonly database: Database
  readonly keyPepper: Buffer
  readonly keyId: string
}

/** A token with any claims, signed as the service does. */
export async function writeToken(
  { database, keyPepper, keyId }: Writer,
  claims: Partial<TokenClaims>,
): Promise<string> {
  const form = new TokenForm(keyPepper)
  const [row] = await database.run<{ secret_hash: Buffer }>({
    text: 'select secret_hash from api_keys where id = $1',
    values: [keyId],
  })
  const secretMark = form.markOf(row?.secret_hash ?? Buffer.alloc(0))
  return form.write({ keyId, secretMark, scopes: ['runs:read'], expiresAtMs: Date.now() + 600_000, ...claims })
}

/** The same token with other claims, under the signature of the first. */
export function forge(token: string, change: Record<string, unknown>): string {
  const [form = '', payload = '', signature = ''] = token.split('.')
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...change }
  return [form, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}
