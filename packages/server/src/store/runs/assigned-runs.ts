// The condition of a list that a run waits for a decision of the caller: they may decide and have not, or those who
// have decided differ, so that one of them has to answer again. It says what `decide` of the schema says, for many runs
// and without locks: the answer itself is checked again.
import type { Actor } from '../../domain/actor.ts'
import { lookUp } from '../postgres/look-up.ts'

/** Whose list it is. */
export interface ListCaller extends Pick<Actor, 'person' | 'roles' | 'rolesFrom'> {
  readonly keyId: string
  /** It is a person who has signed in. Keys can never answer a question with `reauth`. */
  readonly hasSignedIn: boolean
}

/** `r` has the columns of a run. */
export function isAssignedTo(caller: ListCaller, customerId: string, bind: (value: unknown) => string): string {
  const key = `${bind(caller.keyId)}::text`
  const person = `${bind(caller.person)}::text`
  const roles =
    caller.rolesFrom === 'key'
      ? `(select k.roles from api_keys k where k.customer_id = ${bind(customerId)} and k.id = ${key})::text[]`
      : `${bind(caller.roles)}::text[]`
  const hasRole = (list: string) => `exists (
      select from json_array_elements_text(r.wait->'rules'->'${list}') role where role = any (${roles})
    )`
  return `r.wait is not null and (r.wait->'rules' is null or (
    (r.wait->'rules'->'approvers' is null or ${hasRole('approvers')} or (
      r.wait->'rules'->'escalate_to' is not null
      and clock_timestamp() >= r.updated_at
        + (r.wait->'rules'->>'escalate_after_seconds')::double precision * interval '1 second'
      and ${hasRole('escalate_to')}
    ))
    ${caller.hasSignedIn ? '' : "and not coalesce((r.wait->'rules'->>'reauth')::boolean, false)"}
    and not exists (
      select
      from json_array_elements(r.votes) v
      where (v->>'key_id' = ${key} or v->>'person' = ${person})
        and not exists (select from json_array_elements(r.votes) other where other->>'answer' <> v->>'answer')
    )
    and not (coalesce((r.wait->'rules'->>'not_requester')::boolean, false) and exists (
      select
      from run_inputs i
      left join api_keys k on k.customer_id = i.customer_id and k.id in (i.created_by, i.on_behalf_of)
      where ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}
        and (${key} in (i.created_by, i.on_behalf_of) or ${person} in (i.created_person, k.person))
    ))
  ))`
}
