// What a run has done so far, as people tell it: its steps with their texts, calls and decisions.
import type { DecisionType, Role, ToolOutcome, ToolSummary } from '@runwright/contract'

export interface StoryCall {
  readonly id: string
  readonly name: string
  /** `unknown`: its step ended before its result came. It may have been made or not. */
  readonly state: 'running' | 'unknown' | ToolOutcome
  readonly startedAt: string
  readonly durationMs: number | undefined
  readonly input: ToolSummary | undefined
  readonly output: ToolSummary | undefined
  readonly policyReason: string | null
}

export interface StoryDecision {
  readonly seq: number
  readonly at: string
  readonly role: Role
  readonly type: DecisionType
  readonly reasonCode: string
  /** In the judge's own words. */
  readonly words: string | undefined
}

export interface StoryAttempt {
  /** The latest moment before its first event at which it could have begun: there is no event for the beginning. */
  readonly notBefore: string
  readonly endedAt: string | undefined
  /** What it had written and called when it ended. Undefined for the attempt that the step itself shows. */
  readonly left?: LeftAttempt
}

/** An attempt that another one followed, or that ended with its worker. */
export interface LeftAttempt {
  readonly text: string
  readonly calls: readonly StoryCall[]
  readonly reasonCode: string | undefined
  readonly message: string | undefined
}

export interface StoryStep {
  readonly taskId: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** `lost`: it ran when the run lost its worker. `stopped`: it ran when the run ended. */
  readonly state: 'running' | 'succeeded' | 'retrying' | 'failed' | 'lost' | 'stopped'
  readonly text: string
  readonly calls: readonly StoryCall[]
  readonly decisions: readonly StoryDecision[]
  readonly attempts: readonly [StoryAttempt, ...StoryAttempt[]]
  readonly reasonCode: string | undefined
  readonly message: string | undefined
}

/** The calls of all attempts. One that a later attempt made or continued is told as it was then. */
export const callsOf = ({ attempts, calls }: StoryStep): readonly StoryCall[] => {
  const all = [...attempts.flatMap(({ left }) => left?.calls ?? []), ...calls]
  return [...new Map(all.map((call) => [call.id, call])).values()]
}

export interface Story {
  /** In the order in which they began. */
  readonly steps: readonly StoryStep[]
  /** Decisions that belong to no step. */
  readonly decisions: readonly StoryDecision[]
  readonly createdAt: string | undefined
  readonly startedAt: string | undefined
  /** Undefined while the run goes on. */
  readonly endedAt: string | undefined
  readonly lastAt: string | undefined
  /** Why the run is stalled or was cancelled, if its events say so. */
  readonly reasonCode: string | undefined
  /** The last event that may have changed the run itself: not a piece of text. */
  readonly newsSeq: number
  /** The types of events so far. */
  readonly types: readonly string[]
}

export const emptyStory: Story = {
  steps: [],
  decisions: [],
  createdAt: undefined,
  startedAt: undefined,
  endedAt: undefined,
  lastAt: undefined,
  reasonCode: undefined,
  newsSeq: 0,
  types: [],
}
