// Reads a run to fork: what it was created with, what it has finished, and when. One statement, so all of it is of the
// same moment, also while the run executes.
import type { RunClass, SignalAction } from '@runwright/contract'
import { parseItems } from '../../domain/json/parse-items.ts'
import { keptKinds, type RunMarks, type RunPast } from '../../domain/run/fork.ts'
import { type JournalEntry, readJournalEntry } from '../../domain/run/journal.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { Database } from '../postgres/database.ts'
import { sqlList } from '../postgres/sql-list.ts'
import type { SentRow } from '../sealed/content.ts'
import { answeredQuestion } from './question.ts'
import type { RunKey } from './run-key.ts'

export interface ForkSource {
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly journalVersion: number
  readonly streaming: boolean | undefined
  readonly title: string | null
  /** Of `run.created`, as JSON text. */
  readonly createdPayload: string
  readonly content: SentRow
  /** Undefined if its journal was trimmed. */
  readonly past: RunPast | undefined
}

type SourceRow = SentRow & {
  workspace_id: string | null
  subject_id: string | null
  run_class: RunClass
  journal_version: number
  streaming: boolean | null
  title: string | null
  created_payload: string
  /** JSON texts; null if there are none. */
  entries: string | null
  answers: string | null
  marks: string | null
}

const ofRun = (alias: string): string => `${alias}.customer_id = r.customer_id and ${alias}.run_id = r.id`

export async function findForkSource(database: Database, { customerId, id }: RunKey): Promise<ForkSource | undefined> {
  const [row] = await database.query<SourceRow>({
    name: 'find-fork-source',
    text: `
select r.id, r.customer_id, r.workspace_id, r.subject_id, r.run_class, r.journal_version, i.input, i.metadata,
  i.attachment_refs, i.sensitivity_tags, i.plan, i.streaming, i.title, i.sealed, i.sealed_key, i.created_payload, (
    select json_agg(json_build_array(j.key, j.body))
    from journal j
    where ${ofRun('j')} and split_part(j.key, ':', 1) in (${sqlList(keptKinds)})
  ) as entries, (
    select json_agg(json_build_object('seq', s.seq, 'action', s.action, 'payload', s.payload, 'waitKey', s.wait_key,
      'call', s.call, 'calls', s.calls, 'asked', ${answeredQuestion('s')}) order by s.seq)
    from signals s
    where ${ofRun('s')}
  ) as answers, (
    select json_agg(json_build_object('seq', e.seq, 'type', e.type, 'task', e.payload->>'task_id',
      'call', e.payload->>'tool_call_id') order by e.seq)
    from event_rows e
    where ${ofRun('e')}
      and case e.type
        when 'step.done' then e.payload->>'outcome' = 'succeeded'
        when 'run.coordination.decision' then e.payload->>'decision_type' = 'replan'
        else e.type = 'run.tool.invoked'
      end
  ) as marks
from runs r
join run_inputs i on ${ofRun('i')}
where r.customer_id = $1 and r.id = $2`,
    values: [customerId, id],
  })
  return row && { ...sourceOf(row), past: await runSliced(pastOf(row)) }
}

const sourceOf = (row: SourceRow): Omit<ForkSource, 'past'> => ({
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  journalVersion: row.journal_version,
  streaming: row.streaming ?? undefined,
  title: row.title,
  createdPayload: row.created_payload,
  content: row,
})

type Mark = { seq: number; type: string; task: string | null; call: string | null }
type StoredAnswer = { seq: number; action: SignalAction; payload: unknown; waitKey: string | null }

/** Yields where the work can be interrupted: the results of many steps may be large. */
function* pastOf(row: SourceRow): Generator<void, RunPast | undefined> {
  const stored = yield* parseItems<[string, unknown]>(row.entries ?? '[]')
  const entries = stored.map(([key, body]) => readJournalEntry(key, body))
  const marks = marksOf(row.id, entries, yield* parseItems<Mark>(row.marks ?? '[]'))
  const given = yield* parseItems<StoredAnswer>(row.answers ?? '[]')
  const answers = given.map((answer) => ({ ...answer, waitKey: answer.waitKey ?? '' }))
  return marks && { entries, answers, marks }
}

/** Undefined if a step has succeeded that the journal does not have. */
function marksOf(runId: string, entries: readonly JournalEntry[], marks: readonly Mark[]): RunMarks | undefined {
  const keys = new Map(
    entries.flatMap(({ kind, name }) => (kind === 'done' ? [[derivedWireId('task', runId, name), name]] : [])),
  )
  const steps = marks.flatMap(({ type, task, seq }) => {
    // The decision is the event after it.
    return type === 'step.done' ? [[keys.get(task ?? ''), seq + 1] as const] : []
  })
  const known = steps.flatMap(([key, seq]) => (key === undefined ? [] : [[key, seq] as const]))
  if (known.length < steps.length) return undefined
  return {
    steps: new Map(known),
    calls: new Map(marks.flatMap(({ call, seq }) => (call === null ? [] : [[call, seq] as const]))),
    replans: marks.flatMap(({ type, seq }) => (type === 'run.coordination.decision' ? [seq] : [])),
  }
}
