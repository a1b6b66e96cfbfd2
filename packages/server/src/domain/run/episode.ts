// What a successful run stores in memory: the task, the steps, and the tools it used. At most a few kilobytes, however
// large the run was.
import { cutText } from '@runwright/contract'

export interface EpisodeFacts {
  /** The id as the API shows it. */
  readonly runId: string
  readonly goal: string | undefined
  /** The run's input without sensitive values. */
  readonly input: unknown
  /** Finished steps, oldest first. */
  readonly steps: readonly { readonly stepId: string; readonly content: string }[]
  /** Tool names, possibly repeated. */
  readonly tools: readonly string[]
}

interface Episode {
  /** Unique per run. */
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
}

const maxTitleGoal = 80
const maxAsked = 500
/** The last ones. */
export const maxEpisodeSteps = 10
const maxStepName = 80
const maxStepContent = 240
const maxTools = 20

export function episodeOf({ runId, goal, input, steps, tools }: EpisodeFacts): Episode {
  const tags = [...new Set(tools)].slice(0, maxTools)
  const lines = [
    ...(goal === undefined ? [] : [`Goal: ${shorten(goal, maxAsked)}`]),
    ...inputLine(input),
    ...stepLines(steps),
    ...(tags.length === 0 ? [] : [`Tools: ${tags.join(', ')}`]),
  ]
  const title = goal === undefined ? `Run ${runId}` : `Run ${runId}: ${shorten(goal, maxTitleGoal)}`
  return { title, content: lines.join('\n'), tags }
}

/** On one line, with a mark when it is cut. */
function shorten(text: string, maxLength: number): string {
  const kept = cutText(text, maxLength)
  return `${kept.replace(/\s+/g, ' ').trim()}${kept.length < text.length ? '…' : ''}`
}

/** A sandbox script is not part of the task. */
function inputLine(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  const { sandbox: _, ...asked } = input as Record<string, unknown>
  return Object.keys(asked).length === 0 ? [] : [`Input: ${shorten(JSON.stringify(asked), maxAsked)}`]
}

/** The last steps, because they contain the result. */
function stepLines(steps: EpisodeFacts['steps']): string[] {
  const shown = steps.slice(-maxEpisodeSteps)
  const before = steps.length - shown.length
  return [
    ...(before === 0 ? [] : [`${before} more steps before these:`]),
    ...shown.map(({ stepId, content }) => `- ${shorten(stepId, maxStepName)}: ${shorten(content, maxStepContent)}`),
  ]
}
