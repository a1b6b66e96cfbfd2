// The id of the key that a header claims to have, of a key or of a token. Nothing is verified: it says only who can.
import { readAuthorization } from './parse-authorization.ts'
import { claimedKeyId, tokenIn } from './token-form.ts'

export function presentedKeyId(authorization: string): string | undefined {
  const token = tokenIn(authorization)
  return token === undefined ? readAuthorization(authorization)?.keyId : claimedKeyId(token)
}
