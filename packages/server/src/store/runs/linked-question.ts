// What a decision link shows: the question while it is open, and what has become of it.
import type { SignalAction } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { type Question, readQuestion } from './question.ts'
import type { RunKey } from './run-key.ts'
import { type CountedVote, countedVotes } from './run-parts.ts'

/** A denial is of the call: the run is not rejected. */
export type Given = SignalAction | 'deny'

interface LinkedQuestion {
  readonly title: string | null
  /** Undefined: it is not open any more. */
  readonly open: (Question & { readonly expiresAt: Date; readonly votes: readonly CountedVote[] }) | undefined
  /** The answer that was given with this idempotency key; it may be one of several. */
  readonly own: Given | undefined
  /** The answer that ended the wait. */
  readonly answer: { readonly given: Given; readonly by: string } | undefined
}

interface LinkedQuestionKey extends RunKey {
  readonly seq: number
  readonly idempotencyKey: string
}

type Row = {
  title: string | null
  wait: string | null
  wait_content: string | null
  await_until: Date | null
  votes: string | null
  own: Given | null
  given: Given | null
  answered_by: string | null
}

/** Undefined: the run was deleted. A run writes nothing while it waits, so the answer to a wait is its next event. */
export async function findLinkedQuestion(
  database: Database,
  { customerId, id, seq, idempotencyKey }: LinkedQuestionKey,
): Promise<LinkedQuestion | undefined> {
  const [row] = await database.query<Row>({
    name: 'find-linked-question',
    text: `
select i.title,
  case when r.await_seq = $3 then r.wait end as wait,
  case when r.await_seq = $3 then r.wait_content end as wait_content,
  case when r.await_seq = $3 then r.await_until end as await_until,
  case when r.await_seq = $3 then r.votes end as votes,
  case when coalesce(o.call, v.call)->'deny' is not null then 'deny' else coalesce(o.action, v.action) end as own,
  case when a.call->'deny' is not null then 'deny' else a.action end as given,
  coalesce(a.person, case when a.via = 'link' then a.roles->>0 end, a.key_name, a.key_id) as answered_by
from runs r
join run_inputs i on i.customer_id = r.customer_id and i.run_id = r.id
left join signals o on o.customer_id = r.customer_id and o.run_id = r.id and o.idempotency_key = $4
left join votes v on v.customer_id = r.customer_id and v.run_id = r.id and v.idempotency_key = $4
left join signals a on a.customer_id = r.customer_id and a.run_id = r.id and a.seq = $3 + 1
where r.customer_id = $1 and r.id = $2`,
    values: [customerId, id, seq, idempotencyKey],
  })
  return row && toLinkedQuestion(row)
}

function toLinkedQuestion({ title, wait, wait_content, await_until, ...row }: Row): LinkedQuestion {
  const { own, given, answered_by } = row
  const isOpen = wait !== null && wait_content !== null && await_until !== null
  return {
    title,
    open: isOpen
      ? { ...readQuestion(wait, wait_content), expiresAt: await_until, votes: countedVotes(row.votes) }
      : undefined,
    own: own ?? undefined,
    answer: given === null ? undefined : { given, by: answered_by ?? '' },
  }
}
