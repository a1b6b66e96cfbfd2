// The scopes that a list of scopes grants. A scope may include others: `runs:write` includes `runs:signal`.
import { includedScopes, type Scope } from '@runwright/contract'

const includedIn = (scopes: Iterable<Scope>): Set<Scope> =>
  new Set([...scopes].flatMap((scope) => includedScopes[scope] ?? []))

/** The scopes, and those that they include. */
export const grantedScopes = (scopes: readonly Scope[]): ReadonlySet<Scope> =>
  new Set([...scopes, ...includedIn(scopes)])

/** The shortest list that grants the same. */
export function withoutIncluded(scopes: readonly Scope[]): Scope[] {
  const included = includedIn(scopes)
  return scopes.filter((scope) => !included.has(scope))
}
