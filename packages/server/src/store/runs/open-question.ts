// What a run asks a person, for a message about it: the title of the run and the question, until it is answered.
import type { Database } from '../postgres/database.ts'
import { type Question, readQuestion } from './question.ts'
import type { RunKey } from './run-key.ts'

export interface OpenQuestion extends Question {
  readonly title: string | null
}

/** Undefined if the question that began with the event `seq` is not open any more. */
export async function findOpenQuestion(
  database: Database,
  { customerId, id, seq }: RunKey & { readonly seq: number },
): Promise<OpenQuestion | undefined> {
  const [row] = await database.query<{ title: string | null; wait: string; wait_content: string }>({
    name: 'find-open-question',
    text: `
select i.title, r.wait, r.wait_content
from runs r
join run_inputs i on i.customer_id = r.customer_id and i.run_id = r.id
where r.customer_id = $1 and r.id = $2 and r.await_seq = $3`,
    values: [customerId, id, seq],
  })
  return row && { title: row.title, ...readQuestion(row.wait, row.wait_content) }
}
