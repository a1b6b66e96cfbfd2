// Reads what messages to people say about events: the question of a wait while it is open, the question and the answer
// of a signal, and who created the run. What is long is cut here, so that no message costs more than its size.

import type { ReadKind, SignalAction } from '@runwright/contract'
import type { Actor } from '../../domain/actor.ts'
import { escalatesTooLate } from '../../domain/plan/approval-rules.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'

export interface NoticeKey {
  readonly runId: string
  readonly seq: number
}

export interface NoticeRecord extends NoticeKey {
  readonly title: string | null
  /** Null: the service itself, because a schedule was due. */
  readonly createdBy: (Pick<Actor, 'keyId' | 'via'> & { readonly keyName: string | null }) | null
  /** What is or was asked. Undefined if the event is no question and no answer, or the wait is over. */
  readonly question: AskedQuestion | undefined
  /** When the wait ends that the event began. Undefined: it is over. */
  readonly openUntil: Date | undefined
  readonly answer: GivenAnswer | undefined
}

export interface AskedQuestion {
  readonly reasonCode: string
  readonly prompt: string | null
  readonly tool: string | null
  /** JSON text with tagged values masked, perhaps cut. Null without a call. */
  readonly arguments: string | null
  readonly why: string | null
  readonly hasRead: readonly ReadKind[]
  /** The roles that may decide. Null: everyone who may send signals. */
  readonly approvers: readonly string[] | null
  /** How many people must give the same answer. */
  readonly approvals: number
  /** Who created the run does not decide. */
  readonly notRequester: boolean
  /** The roles that may decide from `escalatesAt` on, too. */
  readonly escalateTo: readonly string[] | null
  readonly escalatesAt: Date | null
  /** The tools of further calls that the answer can decide about. */
  readonly others: readonly string[]
}

export interface GivenAnswer extends Pick<Actor, 'person' | 'roles' | 'via'> {
  readonly action: SignalAction
  /** What it says about a call, or that it is about several. Null: about none. */
  readonly decision: 'deny' | 'arguments' | 'result' | 'error' | 'calls' | null
  readonly keyId: string
  readonly keyName: string | null
}

/** In characters. */
export const maxNoticePrompt = 2_000
export const maxNoticeArguments = 4_000

type NoticeRow = {
  run_id: string
  seq: number
  title: string | null
  created_by: string | null
  created_via: Actor['via'] | null
  created_by_name: string | null
  asked: string | null
  prompt: string | null
  arguments: string | null
  open_until: Date | null
  since: Date
  action: SignalAction | null
  decision: GivenAnswer['decision']
  key_id: string | null
  key_name: string | null
  person: string | null
  roles: string | null
  via: Actor['via'] | null
}

/** By the id of the run and the `seq` of the event. Those of runs that were removed are missing. */
export async function findNotices(
  database: Database,
  customerId: string,
  keys: readonly NoticeKey[],
): Promise<Map<string, NoticeRecord>> {
  const rows = await database.query<NoticeRow>({
    text: `
select d.run_id, d.seq, i.title, i.created_by, i.created_via, k.name as created_by_name, c.asked,
  left(c.content->>'prompt', ${maxNoticePrompt}) as prompt,
  left((c.content->'arguments')::text, ${maxNoticeArguments}) as arguments,
  case when r.await_seq = d.seq then r.await_until end as open_until, r.updated_at as since, s.action, s.key_id, s.key_name,
  s.person, s.roles, s.via,
  case when s.calls is not null then 'calls' else (select key from json_object_keys(s.call) key limit 1) end as decision
from unnest($2::uuid[], $3::integer[]) as d(run_id, seq)
join runs r on r.customer_id = $1 and ${lookUp({ 'r.id': 'd.run_id' })}
join run_inputs i on i.customer_id = $1 and ${lookUp({ 'i.run_id': 'd.run_id' })}
left join api_keys k on k.customer_id = $1 and k.id = i.created_by
left join signals s on s.customer_id = $1 and s.run_id = d.run_id and s.seq = d.seq
cross join lateral (
  select coalesce(s.asked, case when r.await_seq = d.seq then r.wait end) as asked,
    coalesce(s.asked_content, case when r.await_seq = d.seq then r.wait_content end) as content
) c`,
    values: [customerId, keys.map(({ runId }) => runId), keys.map(({ seq }) => seq)],
  })
  return new Map(rows.map((row) => [noticeKey({ runId: row.run_id, seq: row.seq }), toRecord(row)]))
}

export const noticeKey = ({ runId, seq }: NoticeKey): string => `${runId}:${seq}`

const toRecord = (row: NoticeRow): NoticeRecord => ({
  runId: row.run_id,
  seq: row.seq,
  title: row.title,
  createdBy: row.created_via && { keyId: row.created_by, via: row.created_via, keyName: row.created_by_name },
  question: row.asked === null ? undefined : toQuestion(row.asked, row),
  openUntil: row.open_until ?? undefined,
  answer: toAnswer(row),
})

const toAnswer = ({ action, decision, key_id, key_name, person, roles, via }: NoticeRow): GivenAnswer | undefined =>
  action && key_id && via
    ? {
        action,
        decision,
        keyId: key_id,
        keyName: key_name,
        person,
        roles: roles === null ? [] : JSON.parse(roles),
        via,
      }
    : undefined

function toQuestion(asked: string, { prompt, arguments: input, since, open_until }: NoticeRow): AskedQuestion {
  const { reason_code, tool, why, has_read, others = [], rules = {} } = JSON.parse(asked)
  const { approvers = null, approvals = 1, not_requester = false } = rules
  const waitSeconds = ((open_until?.getTime() ?? 0) - since.getTime()) / 1_000
  const escalates = rules.escalate_to !== undefined && !escalatesTooLate(rules, waitSeconds)
  const escalateTo = escalates ? rules.escalate_to : null
  const escalatesAt = escalates ? new Date(since.getTime() + rules.escalate_after_seconds * 1_000) : null
  return {
    reasonCode: reason_code,
    prompt,
    tool: tool ?? null,
    arguments: tool === undefined ? null : input,
    why: why ?? null,
    hasRead: has_read ?? [],
    ...{ approvers, approvals, notRequester: not_requester, escalateTo, escalatesAt },
    others: others.map((call: { readonly tool: string }) => call.tool),
  }
}
