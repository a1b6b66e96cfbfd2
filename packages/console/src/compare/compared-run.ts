// What is compared of a run: its facts, its steps and its turns.
import type { RunInclude, Runwright } from '@runwright/client'
import type { RunDetail, Turn } from '@runwright/contract'
import { readTurns } from '../run/turns/read-turns.ts'

export interface TurnSums {
  readonly calls: number
  readonly failed: number
  readonly input: number
  readonly output: number
  readonly models: readonly string[]
  readonly modelMs: number
}

export interface ComparedRun {
  readonly run: Omit<RunDetail, 'output'>
  readonly turns: readonly Turn[]
  /** There are more turns than were read. */
  readonly isCut: boolean
  readonly sums: TurnSums
}

export interface Pair {
  readonly left: ComparedRun
  readonly right: ComparedRun
}

const comparedParts: readonly RunInclude[] = [
  ...(['title', 'agent', 'plan', 'steps', 'usage', 'failure', 'forked_from', 'awaiting_input'] as const),
]

/** With their whole prompts: more would be many megabytes. */
const maxTurns = 200

export const sumsOf = (turns: readonly Turn[]): TurnSums => ({
  calls: turns.length,
  failed: turns.filter(({ outcome }) => outcome !== 'reply').length,
  input: turns.reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0),
  output: turns.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0),
  models: [...new Set(turns.map(({ model }) => model))].sort(),
  modelMs: turns.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
})

export const readCompared = async (client: Runwright, id: string, signal: AbortSignal): Promise<ComparedRun> => {
  const [run, page] = await Promise.all([
    client.runs.get(id, { include: comparedParts, signal }),
    readTurns(client, id, { limit: maxTurns, signal }),
  ])
  return { run, turns: page.turns, isCut: !page.isLast, sums: sumsOf(page.turns) }
}
