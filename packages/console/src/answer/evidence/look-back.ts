// What the events before a question tell an approver: the calls of tools with their outcome, and the last words of the
// model.
import type { RunEvent } from '@runwright/client'
import { callsOf, type StoryCall } from '../../run/story/story.ts'
import { StoryTeller } from '../../run/story/story-teller.ts'

export interface FoundEvidence {
  /** In the order in which they began. */
  readonly calls: readonly StoryCall[]
  /** Of the step that asks, or of the one before it. */
  readonly lastWords: string
  /** False if earlier events were not read. */
  readonly isWhole: boolean
}

interface LookBackOptions {
  readonly isWhole: boolean
  /** The text of these is no model's. */
  readonly toolTasks?: ReadonlySet<string | null>
}

export const lookBack = (events: readonly RunEvent[], { isWhole, toolTasks }: LookBackOptions): FoundEvidence => {
  const teller = new StoryTeller()
  for (const event of events) teller.add(event)
  const { steps } = teller.story()
  const calls = steps.flatMap(callsOf).toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
  const spoke = steps
    .filter(({ taskId, text }) => text.trim() !== '' && !toolTasks?.has(taskId))
    .toSorted((a, b) => a.lastSeq - b.lastSeq)
  return { calls, lastWords: spoke.at(-1)?.text.trim() ?? '', isWhole }
}
