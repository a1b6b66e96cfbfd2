// What the groups of a person allow, for each customer: the scopes and roles of all of their groups together.
import type { Scope } from '@runwright/contract'
import { withoutIncluded } from '../../domain/granted-scopes.ts'
import type { GroupRule } from './oidc-file.ts'

export interface GroupGrant {
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
}

/** By customer, in the order of the rules. */
export function grantsOfGroups(
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, GroupGrant> {
  const held = new Set(groups)
  const own = rules.filter(({ group }) => held.has(group))
  const customers = new Set(own.map(({ customer }) => customer))
  return new Map([...customers].map((id) => [id, grantOf(own.filter(({ customer }) => customer === id))]))
}

/** Sorted, so that another order of the groups changes nothing. */
const grantOf = (rules: readonly GroupRule[]): GroupGrant => ({
  scopes: withoutIncluded([...new Set(rules.flatMap(({ scopes }) => scopes))].sort()),
  roles: [...new Set(rules.flatMap(({ roles }) => roles))].sort(),
})
