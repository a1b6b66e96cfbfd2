// What led to a question: the run, its steps so far, and the events before the question.
import type { RunDetail, RunEvent, RunInclude, Runwright } from '@runwright/client'
import type { AwaitingInput } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { useTools } from '../use-is-grave.ts'
import { type FoundEvidence, lookBack } from './look-back.ts'

const parts: readonly RunInclude[] = ['title', 'input', 'created_by', 'steps', 'plan']
/** How far the page looks back for calls and words: more than a step usually has. */
const pages = 5
const pageSize = 200

export interface Evidence extends FoundEvidence {
  readonly run: RunDetail
}

const readEvents = async (client: Runwright, id: string, upTo: number, signal: AbortSignal) => {
  const first = Math.max(0, upTo - pages * pageSize)
  const events: RunEvent[] = []
  for (let cursor = first; cursor < upTo; ) {
    const page = await client.events.poll(id, { cursor, limit: pageSize, signal })
    events.push(...page.events.filter(({ seq }) => seq <= upTo))
    const last = page.events.at(-1)
    if (!last) break
    cursor = last.seq
  }
  return { events, isWhole: first === 0 }
}

/** It does not change while the run waits. */
export const useEvidence = (runId: string, { seq }: Pick<AwaitingInput, 'seq'>) => {
  const { client } = useSession()
  return useQuery({
    queryKey: ['evidence', runId, seq],
    queryFn: async ({ signal }): Promise<Evidence> => {
      const [run, { events, isWhole }] = await Promise.all([
        client.runs.get(runId, { include: parts, signal }),
        readEvents(client, runId, seq, signal),
      ])
      const tools = (run.steps ?? []).filter(({ kind }) => kind === 'tool')
      const toolTasks = new Set(tools.map(({ task_id }) => task_id))
      return { run, ...lookBack(events, { isWhole, toolTasks }) }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Whether all of it is on the page, or it was said that it cannot be: what is below does not move any more. */
export const useIsEvidenceShown = (runId: string, wait: Pick<AwaitingInput, 'seq'>): boolean => {
  const { isPending } = useEvidence(runId, wait)
  const tools = useTools()
  return !isPending && !tools.isPending
}
