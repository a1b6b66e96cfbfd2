// The answers so far to open questions that several people decide.
import type { Decision } from '@runwright/contract'
import { runSliced } from '../../../runtime/time-slices.ts'
import type { Database } from '../../../store/postgres/database.ts'
import { findVotes, type OpenWait } from '../../../store/runs/signals.ts'
import { findSecretContent } from '../../../store/sealed/inputs.ts'
import type { SealingKeys } from '../../../store/sealed/sealing-keys.ts'
import { decisionViews } from './answer-views.ts'

interface Sources {
  readonly database: Database
  readonly keys: SealingKeys
}

/** By run. Answers are read only for questions that have some. */
export async function readDecisions(
  sources: Sources,
  customerId: string,
  waits: readonly OpenWait[],
): Promise<Map<string, Decision[]>> {
  const decided = waits.filter(({ votes }) => votes.length > 0)
  const decisions = new Map<string, Decision[]>()
  if (decided.length === 0) return decisions
  for (const [id, votes] of await findVotes(sources.database, customerId, decided)) {
    const content = await findSecretContent(sources, { customerId, id })
    decisions.set(id, await runSliced(decisionViews(votes, content?.secrets)))
  }
  return decisions
}
