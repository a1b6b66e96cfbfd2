// Finds the key with which a person decides, for a decision link.
import type { Database } from '../postgres/database.ts'
import { isLive } from './keys.ts'

interface PersonQuestion {
  readonly customerId: string
  readonly person: string
  /** Who may decide now, and who may after a while. */
  readonly roles: readonly string[]
  readonly laterRoles: readonly string[]
}

interface PersonKey {
  readonly id: string
  /** It has one of the roles. */
  readonly isApprover: boolean
}

/**
 * Of the keys that may signal, one with a role that may decide now comes first, then one that may later. The row of a
 * person who signs in does not count: its roles are those of the last sign-in, which may be long ago.
 */
export async function findPersonKey(
  database: Database,
  { customerId, person, roles, laterRoles }: PersonQuestion,
): Promise<PersonKey | undefined> {
  const [row] = await database.query<{ id: string; is_approver: boolean }>({
    text: `
select id, roles && ($3::text[] || $4::text[]) as is_approver
from api_keys
where customer_id = $1 and person = $2 and scopes && array['runs:signal', 'runs:write'] and issuer is null and ${isLive}
order by roles && $3::text[] desc, roles && $4::text[] desc, created_at desc, id
limit 1`,
    values: [customerId, person, roles, laterRoles],
  })
  return row && { id: row.id, isApprover: row.is_approver }
}
