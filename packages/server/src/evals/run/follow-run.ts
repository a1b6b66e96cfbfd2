// Follows a run to its end, and gives the answers of the case when it asks.
import { type Event, terminalEventTypes } from '@runwright/contract'
import type { EvalCase } from '../cases/case.ts'
import type { ServiceClient } from './service-client.ts'

interface Followed {
  readonly events: readonly Event[]
  readonly ending: 'terminal' | 'unanswered' | 'aborted'
}

interface FollowOptions {
  readonly answers: EvalCase['answers']
  readonly signal: AbortSignal
}

export async function followRun(
  client: ServiceClient,
  runId: string,
  { answers, signal }: FollowOptions,
): Promise<Followed> {
  const events: Event[] = []
  const left = [...answers]
  try {
    // The service may close a stream before the run ends: then it is opened again after the last event.
    for (;;) {
      for await (const event of client.events(runId, events.at(-1)?.seq ?? 0, signal)) {
        events.push(event)
        if (isTerminal(event)) return { events, ending: 'terminal' }
        if (event.type !== 'run.awaiting_input') continue
        const answer = left.shift()
        if (answer === undefined) return { events, ending: 'unanswered' }
        await client.signal(runId, { ...answer, await_seq: event.seq })
      }
    }
  } catch (error) {
    if (signal.aborted) return { events, ending: 'aborted' }
    throw error
  }
}

const isTerminal = ({ type }: Event): boolean => (terminalEventTypes as readonly string[]).includes(type)
