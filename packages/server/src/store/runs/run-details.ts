// Reads the parts of one run that lists do not have: its input, who created it, and its plan.
import type { Actor } from '../../domain/actor.ts'
import type { Database } from '../postgres/database.ts'

interface InputRecord {
  /** Objects, or "***" if the whole was tagged. */
  readonly input: unknown
  readonly metadata: unknown
  readonly attachmentRefs: readonly string[]
}

type InputRow = {
  input: string
  metadata: string
  attachment_refs: string | null
}

/** What the run was created with. Tagged values are masked or missing, as they are stored. */
export async function findInput(database: Database, customerId: string, id: string): Promise<InputRecord | null> {
  const [row] = await database.query<InputRow>({
    name: 'find-input',
    text: `
select input, metadata, attachment_refs
from run_inputs
where customer_id = $2 and run_id = $1`,
    values: [id, customerId],
  })
  if (!row) return null
  return {
    input: JSON.parse(row.input),
    metadata: JSON.parse(row.metadata),
    attachmentRefs: row.attachment_refs === null ? [] : JSON.parse(row.attachment_refs),
  }
}

type CreatorRow = {
  created_by: string | null
  created_via: Actor['via'] | null
  key_name: string | null
}

/** Null: the service itself, because a schedule was due. */
export async function findCreator(
  database: Database,
  customerId: string,
  id: string,
): Promise<Pick<Actor, 'keyId' | 'keyName' | 'via'> | null> {
  const [row] = await database.query<CreatorRow>({
    name: 'find-creator',
    text: `
select i.created_by, i.created_via, k.name as key_name
from run_inputs i
left join api_keys k on k.id = i.created_by and k.customer_id = i.customer_id
where i.customer_id = $2 and i.run_id = $1`,
    values: [id, customerId],
  })
  return row?.created_via ? { keyId: row.created_by, keyName: row.key_name, via: row.created_via } : null
}

/** The current plan as JSON text: the planner's newest, otherwise the one that the run was created with. */
export async function findPlan(database: Database, customerId: string, id: string): Promise<string | null> {
  const [row] = await database.query<{ plan: string | null }>({
    name: 'find-plan',
    text: `
select coalesce((
  select j.body
  from journal j
  where j.customer_id = i.customer_id and j.run_id = i.run_id and j.key like 'plan:%'
  order by split_part(j.key, ':', 2)::integer desc
  limit 1
), i.plan) as plan
from run_inputs i
where i.customer_id = $2 and i.run_id = $1`,
    values: [id, customerId],
  })
  return row?.plan ?? null
}
