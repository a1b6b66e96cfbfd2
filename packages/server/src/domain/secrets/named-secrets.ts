// Finds secrets of the operator by the names of their variables and headers. Only the names tell: other variables hold
// folders and names of projects, which may stand in any text.
import { isSensitiveKey } from './sensitive-keys.ts'

/** Names in addition to those that are sensitive in any document. */
const alsoSensitive = /(?:^|[_-])(?:key|auth|pat|jwt|session|signature|pepper|previous)$/i

/** The secrets in a value whose name says that it is one, or in a URL that has a password. */
export function secretsIn(name: string, value: string): string[] {
  // Without the word before it, such as `Bearer`.
  if (isSensitiveKey(name) || alsoSensitive.test(name)) return value.split(/[\s,]+/)
  return URL.canParse(value) ? passwordsIn(new URL(value)) : []
}

/** As it is written there, and as it is meant. */
function passwordsIn({ password }: URL): string[] {
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
