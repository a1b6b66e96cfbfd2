// The statement that creates a fork: a run with the journal that it begins with.
import { columnOf } from '../postgres/batch-query.ts'
import { createNew, type NewRun } from './create-statement.ts'

export interface NewFork extends NewRun {
  readonly forkedFrom: { readonly runId: string; readonly stepId: string }
  /** The JSON of its entries, each with `key` and `body`. */
  readonly journal: string
  /** Of what the journal holds. */
  readonly journalVersion: number
}

const column = columnOf<NewFork>()

export const forkStatement = createNew<NewFork>('fork-run', {
  columns: {
    forked_from: column('uuid', (fork) => fork.forkedFrom.runId),
    forked_step: column('text', (fork) => fork.forkedFrom.stepId),
    journal_version: column('int4', (fork) => fork.journalVersion),
    journal: column('json', (fork) => fork.journal),
  },
  run: ['journal_version'],
  input: ['forked_from', 'forked_step'],
  writes: `,
new_journal as (
  insert into journal (customer_id, run_id, key, body)
  select customer_id, id, entry->>'key', entry->'body'
  from created
  cross join json_array_elements(journal) entry
),
new_acts as (
  insert into audit_queue (customer_id, at, action, key_id, via, run_id)
  select customer_id, at, 'run.fork', created_by, created_via, id
  from created
  where created_via is not null
)`,
})
